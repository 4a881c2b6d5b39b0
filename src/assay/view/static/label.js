"use strict";
// Labelling by keys: a key presses the button that names it, and the next item comes without a
// reload. A decision counts only once the server has it on disk; until then nothing else is taken.
(() => {
  const one = (selector, at = document) => at.querySelector(selector);
  if (!one(".label-page")) return;
  const main = one("#main");
  let busy = false;
  let asMarkdown = false; // as long as this page is open: whoever reads one so, reads the next so

  const show = () => { for (const hidden of document.querySelectorAll(".js-shown")) hidden.hidden = !one(".l-ctx:not([open])", hidden.parentElement) || !one("details.l-ctx", hidden.parentElement); };
  // Long contexts have a scroll of their own: it begins where something is near.
  const lead = () => { const near = one(".contexts-of mark"); const box = one(".contexts-of"); if (near && near.offsetTop > box.clientHeight - 60) box.scrollTop = near.offsetTop - 80; };
  const say = (text) => { const place = one(".failed-to-keep"); if (place) { place.textContent = text; place.hidden = !text; } };

  // What is sent is about the item that is on the screen: its own form says which.
  const send = async (form, button) => {
    if (busy) return;
    busy = true;
    main.setAttribute("aria-busy", "true");
    say("");
    const late = setTimeout(say, 2500, "Not kept yet: the store is busy, as while a run writes to it. Waiting …");
    try {
      const body = new URLSearchParams(new FormData(form, button));
      const reply = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const next = one("#main", page);
      if (!reply.ok || !next) {
        const why = [...page.querySelectorAll("#main p.t")].map((line) => line.textContent).join(" ");
        say(`Not kept: ${why ? why : "the viewer refused it. Open the address that it printed last."}`);
        return;
      }
      main.replaceChildren(...next.childNodes);
      main.className = next.className;
      document.title = page.title;
      for (const name of [".crumbs", "#keys dl"]) one(name).replaceWith(one(name, page));
      history.replaceState(null, "", reply.url);
      scrollTo(0, 0);
      show();
      lead();
      const markdown = one(".rendered");
      if (markdown) markdown.open = asMarkdown;
      main.focus({ preventScroll: true });
    } catch {
      say("Not kept: the viewer does not answer. Start it again and open this item; all decisions before it are safe.");
    } finally {
      clearTimeout(late);
      busy = false;
      main.removeAttribute("aria-busy");
    }
  };

  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".quick")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-unfold]")) return;
    for (const folded of document.querySelectorAll("details.l-ctx")) folded.open = true;
    show();
  });

  document.addEventListener("toggle", (event) => { if (event.target.matches(".rendered")) asMarkdown = event.target.open; }, true);

  // Before the keys of the other pages, some of which mean something else here.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || one("#keys").open) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    const key = event.key.toLowerCase();
    const pressed = [...document.querySelectorAll("main [data-key]")].find((place) => place.dataset.key.split(" ").includes(key));
    const step = { j: "next", k: "prev" }[key];
    const link = step && one(`main a[rel="${step}"]`);
    if (!pressed && !step) return;
    event.preventDefault();
    if (busy || event.repeat) return;
    if (link) location.assign(link.href);
    else if (pressed && pressed.matches("textarea")) pressed.focus();
    else if (pressed) pressed.click();
  }, true);
  show();
  lead();
})();
