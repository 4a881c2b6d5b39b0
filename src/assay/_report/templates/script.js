"use strict";
// What a reader may do with the page beyond reading it: filter, sort, follow evidence.
// Texts are only ever set as text; markup comes from the page's own, already escaped, noscripts.
(() => {
  const root = document.documentElement;
  const one = (selector, at = document) => at.querySelector(selector);
  const all = (selector, at = document) => [...at.querySelectorAll(selector)];
  const data = (id) => JSON.parse(one(id).textContent);
  const facts = data("#facts");
  const list = one("#list");
  const rows = all("details.s", list);
  const number = new Map(rows.map((row, i) => [row, i]));
  const size = one(".g", list)?.childElementCount; // how many rows lie in a group
  let order = rows; // all of them, as they are sorted
  let placed = rows; // those that are shown, as they stand
  const form = one("#filter");
  const field = (name) => one("#f-" + name) || { value: "" };
  const TONES = ["bad", "warn", "good", "plain"]; // the worst first
  let wanted = null; // the metric whose evidence the reader looked at last
  let pinned = false;
  root.classList.add("js");

  // Theme -------------------------------------------------------------------------------------
  const remember = (value) => {
    try { return value ? localStorage.setItem("assay-theme", value) : localStorage.getItem("assay-theme"); }
    catch { return null; } // a browser may forbid storage to files
  };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const stored = remember();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  one("#theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    remember(root.dataset.theme);
  });

  // One sample --------------------------------------------------------------------------------
  // Its markup waits in a <noscript> as plain text, so that thousands of samples stay light.
  const fill = (row) => {
    const held = one(":scope > noscript", row);
    if (!held) return;
    const parsed = document.createElement("template");
    parsed.innerHTML = held.textContent;
    held.replaceWith(parsed.content);
    const has = (m) => m !== null && one(`.sec[data-m="${m}"]`, row);
    choose(row, has(wanted) ? wanted : worst(row));
  };
  // The metric to begin with: the first that failed or missed its guide value, else the first.
  const worst = (row) => {
    const tabs = all(".tabs a", row);
    const bad = tabs.find((tab) => one(".under, .failed", tab));
    return (bad || tabs[0]).dataset.m;
  };
  const choose = (row, m) => {
    for (const tab of all(".tabs a", row)) tab.setAttribute("aria-current", String(tab.dataset.m === m));
    for (const section of all(".sec", row)) section.hidden = m !== "-1" && section.dataset.m !== m;
    for (const box of all(".text", row)) {
      const variants = all(".ann", box);
      const shown = variants.find((v) => v.dataset.m === m) || variants[0];
      for (const v of variants) {
        v.hidden = v !== shown;
        v.classList.toggle("off", m !== "-1" && v.dataset.m !== m);
      }
    }
    for (const mark of all(".ctx mark", row)) {
      const mine = mark.dataset.p.split(" ").map((ref) => m === "-1" || ref.startsWith(`m${m}p`));
      mark.classList.toggle("sel", mine.includes(true));
      if (mark.dataset.t) { // metrics disagree about these words: the chosen one gives the colour
        const heard = mark.dataset.t.split(" ").filter((_, at) => mine[at]);
        const worst = TONES.find((tone) => heard.includes(tone));
        mark.classList.remove(...TONES);
        if (worst) mark.classList.add(worst);
      }
    }
    light(row, []);
  };
  const light = (row, refs) => {
    for (const lit of all(".on", row)) lit.classList.remove("on");
    for (const ref of refs) {
      for (const found of all(`[data-p~="${ref}"]`, row)) {
        found.classList.add("on");
        if (found.dataset.c) one(`#${row.id}c${found.dataset.c}`)?.classList.add("on");
      }
    }
  };
  const within = (box, target) => { // scrolls the box, never the page
    if (box.scrollHeight > box.clientHeight) {
      box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - 40;
    } else target.scrollIntoView({ block: "nearest" });
  };
  const follow = (row, from) => {
    const refs = from.dataset.p.split(" ");
    light(row, refs);
    pinned = true;
    const box = one(".ctxs", row);
    const target = one("mark.on", box) || one(".ctx.on", box);
    if (target) within(box, target);
    if (from.matches(".ann mark")) one(".sec:not([hidden]) li.on", row)?.scrollIntoView({ block: "nearest" });
  };
  const open = (row, m) => {
    if (m !== undefined) wanted = m;
    const filled = !one(":scope > noscript", row);
    fill(row);
    row.open = true;
    if (filled && m !== undefined) choose(row, m);
  };

  // What the reader looks at is in the address: it can be copied and sent.
  const name = (address) => history.replaceState(null, "", address);

  list.addEventListener("toggle", (event) => {
    const box = event.target;
    if (box.matches("details.s") && box.open) {
      fill(box);
      markFound();
      if (!location.hash.match(`^#${box.id}(?:[mc]\\d+)?$`)) name("#" + box.id);
    }
    if (box.matches(".call") && box.open) for (const pre of all("pre[data-text]", box)) show(pre);
  }, true);
  list.addEventListener("pointerover", (event) => {
    const row = event.target.closest("details.s");
    if (!row || pinned) return;
    const from = event.target.closest(".parts [data-p], .ann:not(.off) mark, .ctx mark.sel");
    light(row, from ? from.dataset.p.split(" ") : []);
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("details.s");
    const cell = event.target.closest("summary .c");
    const tab = event.target.closest(".tabs a");
    const from = event.target.closest(".parts [data-p], .ann:not(.off) mark");
    if (cell && cell.closest("summary").parentElement === row) {
      const m = String(all(".c", cell.parentElement).indexOf(cell));
      event.preventDefault();
      if (row.open && wanted === m) row.open = false;
      else open(row, m);
    } else if (tab) {
      event.preventDefault();
      wanted = tab.dataset.m;
      pinned = false;
      choose(row, wanted);
      name(tab.getAttribute("href"));
    } else if (from && String(getSelection()) === "") {
      if (event.target.closest("a")) event.preventDefault();
      follow(row, from);
    } else if (row && !event.target.closest("summary, a")) {
      pinned = false;
      light(row, []);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      pinned = false;
      for (const lit of all(".on", list)) lit.classList.remove("on");
    }
    const at = document.activeElement?.matches("details.s > summary") ? placed.indexOf(document.activeElement.parentElement) : -1;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = at >= 0 && step && placed[at + step];
    if (next) {
      event.preventDefault();
      one("summary", next).focus();
    }
  });

  // Prompts and replies: lines stored once, put together when looked at --------------------------
  let texts = null;
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
  const show = (pre) => {
    texts ??= data("#texts");
    const runs = texts.texts[Number(pre.dataset.text)];
    const lines = [];
    for (let i = 0; i < runs.length; i += 2) lines.push(...texts.lines.slice(runs[i], runs[i] + runs[i + 1]));
    pre.textContent = lines.join("\n").replace(/\r\n/g, "\n").replace(hidden, (c) => `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`) || "(empty)";
    pre.removeAttribute("data-text");
  };

  // Filter and sort ---------------------------------------------------------------------------
  const index = [];
  const entities = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };
  // What is searched: the sample's own texts, not its headings, links, opened prompts.
  const apart = /<(h[4-6]|nav|pre|a)\b[^>]*>.*?<\/\1>|<\/?(?:article|blockquote|details|div|h3|li|p|section|span|summary|ul)\b[^>]*>/gs;
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ");
  const words = (i) => {
    if (index[i] === undefined) {
      const markup = one(":scope > noscript", rows[i])?.textContent ?? rows[i].innerHTML;
      const text = markup.replace(apart, " ").replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|#34|#39|amp);/g, (e) => entities[e]);
      index[i] = plain(`${one("summary", rows[i]).textContent} ${text}`);
    }
    return index[i];
  };
  // What is searched for is marked where it is shown, without a change to the page's elements.
  const found = window.Highlight ? new Highlight() : null;
  if (found) CSS.highlights.set("found", found);
  const markFound = () => {
    found?.clear();
    const text = plain(field("text").value).trim();
    if (!found || text === "") return;
    for (const row of rows) if (!row.hidden) for (const box of all(".q, .t", row)) {
      const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      const places = []; // of each character of `told`, which reads as it is searched
      let told = "";
      while (nodes.nextNode()) {
        for (let at = 0; at < nodes.currentNode.length; at++) {
          const char = plain(nodes.currentNode.data[at]);
          if (char === " " && told.endsWith(" ")) continue;
          told += char;
          for (let i = 0; i < char.length; i++) places.push([nodes.currentNode, at]);
        }
      }
      for (let at = told.indexOf(text); at >= 0; at = told.indexOf(text, at + text.length)) {
        const range = new Range();
        const [last, end] = places[at + text.length - 1];
        range.setStart(...places[at]);
        range.setEnd(last, end + 1);
        found.add(range);
      }
    }
  };
  const misses = (value, metric) => metric.guide !== null && (metric.up ? value < metric.guide : value > metric.guide);
  const kinds = {
    "": () => true,
    failed: (value) => value === "failed",
    undefined: (value) => value === "undefined",
    unanswered: (value) => value === "unanswered",
    none: (value) => typeof value === "string",
    miss: (value, metric) => typeof value === "number" && misses(value, metric),
  };
  // Shown rows fill their groups, so that what is out of sight is as high as the style sheet holds it.
  const place = () => {
    const shown = order.filter((row) => !row.hidden);
    if (shown.length === placed.length && shown.every((row, i) => row === placed[i])) return;
    placed = shown;
    const groups = [];
    for (let i = 0; i < shown.length; i += size) {
      groups.push(document.createElement("div"));
      groups.at(-1).className = "g";
      groups.at(-1).append(...shown.slice(i, i + size));
    }
    list.replaceChildren(...groups);
  };
  const filter = () => {
    const text = plain(field("text").value).trim();
    const [kind, metric, side, group] = ["kind", "metric", "side", "group"].map((name) => field(name).value);
    const limit = field("limit").valueAsNumber;
    const chosen = metric === "" ? facts.metrics.map((_, m) => m) : [Number(metric)];
    const fits = (value) => typeof value === "number" && (side === "below" ? value < limit : value > limit);
    rows.forEach((row, i) => {
      const [own, ...scores] = facts.rows[i];
      const ok = (group === "" || own === Number(group))
        && (kind === "" || chosen.some((m) => kinds[kind](scores[m], facts.metrics[m])))
        && (Number.isNaN(limit) || chosen.some((m) => fits(scores[m])))
        && (text === "" || words(i).includes(text));
      row.hidden = !ok;
    });
    place();
    const shown = placed.length;
    one("#nothing").hidden = shown > 0;
    const order = sorted === "" ? "" : `, ${sorted === "-1" ? "by name" : facts.metrics[sorted].label + (worstFirst ? ", worst first" : ", best first")}`;
    one("#status").textContent = (shown === rows.length ? `${shown} samples` : `${shown} of ${rows.length} samples`) + order;
    markFound();
  };
  let sorted = "";
  let worstFirst = true;
  const sort = (by, first) => {
    sorted = by;
    worstFirst = first;
    const up = by === "" || by === "-1" || facts.metrics[by].up;
    const sign = (up ? 1 : -1) * (first ? 1 : -1);
    const key = (row) => facts.rows[number.get(row)][Number(by) + 1];
    const name = (row) => one(".id", row).textContent;
    const compare = {
      "": (a, b) => number.get(a) - number.get(b),
      "-1": (a, b) => sign * name(a).localeCompare(name(b), undefined, { numeric: true }),
    }[by] || ((a, b) => {
      const [x, y] = [key(a), key(b)];
      const [m, n] = [typeof x === "number", typeof y === "number"];
      return m && n ? sign * (x - y) || number.get(a) - number.get(b) : n - m || number.get(a) - number.get(b);
    });
    order = [...rows].sort(compare);
    for (const button of all("[data-sort]")) {
      button.setAttribute("aria-pressed", String(button.dataset.sort === by));
      button.classList.toggle("desc", !first);
    }
    field("sort").value = by === "-1" ? "" : by;
    filter();
  };
  let timer = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    const metric = facts.metrics[field("metric").value];
    if (event.target.id === "f-metric" && metric && field("limit").value === "" && field("kind").value === "") {
      field("side").value = metric.up ? "below" : "above";
    }
    if (event.target.id === "f-sort") sort(event.target.value, true);
    else timer = setTimeout(filter, event.target.id === "f-text" ? 150 : 0);
  });
  form.addEventListener("reset", () => setTimeout(() => sort("", true)));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of all("[data-sort]")) {
    button.addEventListener("click", () => {
      const by = button.dataset.sort;
      if (sorted !== by) sort(by, true);
      else if (worstFirst) sort(by, false);
      else sort("", true);
    });
  }
  for (const button of all(".find")) {
    button.addEventListener("click", () => {
      const metric = facts.metrics[button.dataset.m];
      form.reset();
      field("metric").value = button.dataset.m;
      field("side").value = metric.up ? "below" : "above";
      field("limit").value = metric.guide;
      wanted = button.dataset.m;
      setTimeout(() => {
        sort(button.dataset.m, true);
        one("#samples").scrollIntoView();
      });
    });
  }

  // Links into the page -------------------------------------------------------------------------
  const arrive = () => {
    const found = /^#(s\d+)(?:([mc])(\d+))?$/.exec(location.hash);
    const row = found && rows[Number(found[1].slice(1))];
    if (!row) return;
    if (row.hidden) { // a filter must not keep back what a link names
      form.reset();
      sort("", true);
    }
    open(row, found[2] === "m" ? found[3] : undefined);
    const context = found[2] === "c" && document.getElementById(location.hash.slice(1));
    const look = () => {
      row.scrollIntoView();
      if (context) within(one(".ctxs", row), context);
    };
    look();
    // Until it is loaded, the browser scrolls by itself to what the address names.
    if (document.readyState !== "complete") addEventListener("load", () => setTimeout(look), { once: true });
  };
  addEventListener("hashchange", arrive);
  filter();
  arrive();
})();
