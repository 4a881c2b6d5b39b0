"use strict";
// What the keyboard and the mouse may do beyond following links; every page works without it.
// Markup only ever comes from this server's own pages, which escape every text.
(() => {
  const root = document.documentElement;
  const one = (selector, at = document) => at.querySelector(selector);
  const all = (selector, at = document) => [...at.querySelectorAll(selector)];

  // Theme -----------------------------------------------------------------------------------
  const remember = (value) => {
    try { return value ? localStorage.setItem("assay-theme", value) : localStorage.getItem("assay-theme"); }
    catch { return null; } // a browser may forbid storage
  };
  const stored = remember();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const turn = () => { root.dataset.theme = dark() ? "light" : "dark"; remember(root.dataset.theme); };
  const help = one("#keys");
  for (const [id, action] of [["#theme", turn], ["#help", () => help.showModal()]]) {
    one(id).hidden = false;
    one(id).addEventListener("click", action);
  }

  // Parts of a page that come later, or change while a run is going ----------------------------
  const load = async (place, address) => {
    const reply = await fetch(address, { credentials: "same-origin" });
    if (!reply.ok) throw new Error(String(reply.status));
    const parsed = document.createElement("template");
    parsed.innerHTML = await reply.text();
    place.replaceChildren(parsed.content);
  };
  const fill = async () => {
    for (const place of all("[data-fetch]")) {
      try { await load(place, place.dataset.fetch); place.removeAttribute("data-fetch"); }
      catch { place.textContent = "This could not be worked out: reload the page to try again."; }
    }
  };
  const watch = (item) => {
    const place = one(".progress", item) || item;
    const next = async () => {
      try { await load(place, item.dataset.live); } catch { return; } // the viewer has ended
      if (one(".state.warn", place)) setTimeout(next, 2000);
    };
    setTimeout(next, 1000);
  };

  // Moving through a list ---------------------------------------------------------------------
  const items = all("[data-item]");
  let at = -1;
  const go = (step) => {
    if (!items.length) return follow(step > 0 ? "next" : "prev");
    if (at >= 0) items[at].classList.remove("here");
    at = Math.min(Math.max(at + step, 0), items.length - 1);
    items[at].classList.add("here");
    const link = one("[data-open]", items[at]);
    link.focus({ preventScroll: true });
    items[at].scrollIntoView({ block: "nearest" });
  };
  // Whoever comes back from one of them goes on there; until it is loaded, the browser takes the focus away.
  const named = items.findIndex((item) => item.id !== "" && "#" + item.id === location.hash);
  if (named >= 0) addEventListener("load", () => setTimeout(() => { at = named - 1; go(1); }));
  const follow = (rel) => { const link = one(`a[rel="${rel}"]`); if (link) location.assign(link.href); };

  // Evidence: a word, its statement and the passage light up together -------------------------------
  const light = (refs, from) => {
    for (const lit of all(".on")) lit.classList.remove("on");
    let shown = null;
    for (const ref of refs) {
      for (const part of all(`.parts li[data-p="${ref}"]`)) {
        part.classList.add("on");
        if (!from.closest(".parts")) shown = shown || part;
        const context = part.dataset.c !== undefined && one(`#c${part.dataset.c}`);
        if (context) { context.classList.add("on"); if (from.closest(".parts")) shown = shown || context; }
      }
      for (const mark of all("[data-marked] mark")) if (mark.dataset.p.split(" ").includes(ref)) mark.classList.add("on");
    }
    if (shown) shown.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("a, button, summary, input")) return;
    const from = event.target.closest("[data-p]");
    if (from && !root.classList.contains("raw")) light(from.dataset.p.split(" "), from);
  });

  const flagged = () => {
    const parts = all(".parts li.bad, .parts li.warn");
    if (!parts.length) return;
    const part = parts[(parts.indexOf(document.activeElement.closest(".parts li")) + 1) % parts.length];
    if (!root.classList.contains("raw")) light([part.dataset.p], part);
    one(".self", part).focus({ preventScroll: true });
    part.scrollIntoView({ block: "center" });
  };

  // Keys ----------------------------------------------------------------------------------------
  const toggleCalls = () => { const calls = all(".calls, .call"); const open = !calls.some((c) => c.open); for (const c of calls) c.open = open; };
  const mark = () => { const box = at >= 0 && one(".mark input", items[at]); if (box && box.checkVisibility()) box.checked = !box.checked; };
  const actions = {
    j: () => go(1), k: () => go(-1), n: flagged, x: mark, t: turn, p: toggleCalls,
    m: () => { const box = one(".rendered"); if (box) box.open = !box.open; },
    u: () => follow("up"), r: () => root.classList.toggle("raw"),
    "/": () => { const field = one("input[type=search]"); if (field) field.focus(); },
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) { if (event.key === "Escape") event.target.blur(); return; }
    if (help.open && event.key !== "?") return;
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  // Decisions: a button or a form that opens, each with a key of its own.
  const press = (key) => {
    const target = one(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return false;
    if (target.matches("details")) { target.open = true; one("textarea, input:not([type=hidden])", target).focus(); }
    else target.click();
    return true;
  };
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest("form");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form && form.matches(".edit")) { event.preventDefault(); form.requestSubmit(); }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented || help.open) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    if (press(event.key)) event.preventDefault();
  });

  // A command goes into a terminal by one click.
  for (const text of all("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(text.textContent.trim()); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(text); button.textContent = "Selected"; } // to be copied by the reader
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    button.setAttribute("aria-live", "polite");
    const line = document.createElement("div");
    line.className = "command";
    text.replaceWith(line);
    line.append(text, button);
  }

  // A reader who marked the wrong number of runs is told before the server is asked.
  const boxes = all(".mark input");
  const compare = one("#compare");
  if (compare) {
    const count = () => { const n = boxes.filter((b) => b.checked).length; compare.disabled = n < 2 || n > 5; };
    document.addEventListener("change", count);
    document.addEventListener("keyup", count);
    addEventListener("pageshow", count);
  }

  // Pages that were exported search a list of their own, read when the first letter is typed.
  const search = one("[data-search]");
  if (search) {
    const most = 200;
    const [field, told, list] = ["input", "p", "ol"].map((name) => one(name, search));
    const shown = ([row, id, question]) => {
      const [item, link, code] = ["li", "a", "code"].map((name) => document.createElement(name));
      link.href = new URL(`samples/${row}/index.html`, new URL(search.dataset.search, location.href)).href;
      code.textContent = id;
      link.append(code);
      item.append(link, ` ${question}`);
      return item;
    };
    const find = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.length ? window.assaySamples.filter((one) => words.every((word) => one[3].includes(word))) : [];
      told.textContent = words.length ? `${found.length} of ${window.assaySamples.length} samples${found.length > most ? `, the first ${most} here` : ""}` : "";
      list.replaceChildren(...found.slice(0, most).map(shown));
    };
    field.addEventListener("input", () => {
      if (window.assaySamples) return find();
      if (one("script[data-words]")) return undefined;
      const script = document.createElement("script");
      script.dataset.words = "";
      script.addEventListener("load", find);
      script.src = search.dataset.search;
      document.head.append(script);
      return undefined;
    });
    search.hidden = false;
  }

  if (one("meta[name=assay-again]")) {
    setInterval(() => { if (!document.activeElement.matches("input, select")) location.reload(); }, 2000);
  }

  fill();
  all("[data-live]").forEach(watch);
})();
