// What a person does to the controls of this page, told to the server with the form; and the few widgets that need a script.
(() => {
  "use strict";
  const trace = [];
  const names = new Map();  // as the page was shown: a name that a script gives later is nobody's
  for (const el of document.querySelectorAll("[data-control], [name]")) names.set(el, el.dataset.control || el.name);
  const nameOf = (el) => { while (el && !names.has(el)) el = el.parentElement; return el ? names.get(el) : ""; };
  const note = (e) => {
    const name = e.target instanceof Element ? nameOf(e.target) : "";
    if (!name) return;
    const value = e.type === "keydown" ? e.key : String(e.target.value ?? "").slice(0, 80);
    const row = [e.type, name, value, e.isTrusted ? 1 : 0], last = trace.at(-1);
    if (e.type === "input" && last && last[0] === "input" && last[1] === name && last[3] === row[3]) trace.pop();
    trace.push(row);
    if (trace.length > 2000) trace.shift();
  };
  for (const type of ["pointerdown", "pointerup", "touchstart", "touchend", "keydown", "input", "change", "click"]) addEventListener(type, note, { capture: true, passive: true });

  let waits = 0;  // for so many answers; the page says so while it does
  const busy = (by) => { waits += by; if (waits) document.documentElement.dataset.busy = "yes"; else delete document.documentElement.dataset.busy; };

  const post = (path, token, page, rows, keepalive = false) => fetch(path, {
    method: "POST", credentials: "same-origin", keepalive,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ _token: token, _page: page, _trace: JSON.stringify(rows) }),
  });

  const sent = new Set();  // a form goes once: a second click waits for the answer to the first
  document.addEventListener("submit", (e) => {
    if (sent.has(e.target)) { e.preventDefault(); return; }
    sent.add(e.target);
    const field = e.target.querySelector("[name=_trace]");
    if (field) field.value = JSON.stringify(trace);
  }, true);

  // Sliders show where they stand.
  for (const slider of document.querySelectorAll("input[type=range]")) {
    const out = document.getElementById(slider.dataset.out);
    const show = () => { out.textContent = slider.dataset.before + Number(slider.value).toLocaleString("en-US"); slider.setAttribute("aria-valuetext", out.textContent); };
    slider.addEventListener("input", show);
    show();
  }

  // Counters: - and +.
  for (const box of document.querySelectorAll("[data-counter]")) {
    const field = box.querySelector("input"), out = box.querySelector("output");
    const [least, most, step] = [box.dataset.least, box.dataset.most, box.dataset.step].map(Number);
    for (const b of box.querySelectorAll("button")) b.addEventListener("click", () => {
      const by = b.dataset.control.endsWith("+") ? step : -step;
      field.value = String(Math.min(most, Math.max(least, Number(field.value) + by)));
      out.textContent = field.value;
    });
  }

  // Pop-overs: their content is fetched when a person opens them, with a ticket that is good once.
  for (const opener of document.querySelectorAll("[data-fold]")) opener.addEventListener("click", async () => {
    const panel = document.getElementById(opener.getAttribute("aria-controls"));
    const open = panel.hidden;
    panel.hidden = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (!open || panel.dataset.filled) return;
    panel.dataset.filled = "yes";
    busy(1);
    const answer = await post("/fold/" + opener.dataset.fold, opener.dataset.ticket, opener.dataset.page, trace);
    busy(-1);
    panel.innerHTML = answer.ok ? await answer.text() : "<p>The details could not be loaded. Please reload the page.</p>";
  });

  // Fields that wait for somebody's answer: the server hears of the first input at once, and once of all buttons of a
  // choice. The page is busy until it has heard; a page that is left in the meantime still tells it (`keepalive`).
  const told = new Set();
  for (const field of document.querySelectorAll("[data-watched]")) field.addEventListener("input", async () => {
    if (told.has(field.name)) return;
    told.add(field.name);
    busy(1);
    await post("/typing/" + field.name, field.dataset.ticket, field.dataset.page, [], true).catch(() => told.delete(field.name));
    busy(-1);
  });

  // Questions that hang on another answer.
  const dependants = document.querySelectorAll("[data-if]");
  const weigh = () => {
    for (const box of dependants) {  // in the order of the page, so what hangs on a hidden one is hidden too
      const [name, wanted] = box.dataset.if.split("=");
      const on = [...document.getElementsByName(name)].some((el) => !el.disabled && (el.type === "radio" || el.type === "checkbox" ? el.checked : true) && el.value === wanted);
      box.hidden = !on;
      for (const el of box.querySelectorAll("input, select")) el.disabled = !on;
    }
  };
  if (dependants.length) { document.addEventListener("change", weigh); weigh(); }

  document.querySelector("[data-focus]")?.focus();
})();
