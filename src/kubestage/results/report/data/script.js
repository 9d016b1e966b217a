"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const CHUNK = 100, LIST = 150;
  const text = (number) => (number === null || number === undefined ? "" : data.texts[number]);
  const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

  const make = (name, css, ...children) => {
    const element = document.createElement(name);
    if (css) element.className = css;
    element.append(...children);
    return element;
  };

  const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const amount = (value, unit) => {
    if (unit === "cpu") return value < 1000 ? (value ? value + "m" : "0") : grouped.format(value / 1000);
    if (unit !== "bytes") return grouped.format(value);
    let place = 0;
    while (value >= 1024 && place < BINARY.length - 1) { value /= 1024; place += 1; }
    return value ? grouped.format(Math.round(value * 10) / 10) + " " + BINARY[place] : "0";
  };

  const percent = (rate) => {
    const rounded = (100 * rate).toFixed(1).replace(/\.0$/, "");
    if (rate > 0 && rounded === "0") return "< 0.1%";
    return rate < 1 && rounded === "100" ? "> 99.9%" : rounded + "%";
  };
  const plural = (number, noun) => grouped.format(number) + " " + noun + (number === 1 ? "" : "s");

  /* A column: title, value(row) to sort and search by, cell(row, td) to show, css. */
  const texts = (title, at, css) => ({ title, css, value: (row) => text(row[at]), words: true });
  const number = (title, at, show = grouped.format) => ({
    title, css: "figure-cell", value: (row) => row[at], cell: (row, td) => td.append(row[at] === null ? "–" : show(row[at])),
  });

  const asked = ({ title, unit }, at) => ({
    title, css: "figure-cell", value: (row) => row[at] || null,
    cell: (row, td) => td.append(row[at] ? amount(row[at], unit) : "–"),
  });
  const used = (at, unit) => ({
    title: data.resources[at].title, css: "fill",
    value: (row) => (row[2 + 2 * at] ? row[1 + 2 * at] / row[2 + 2 * at] : -1),
    cell: (row, td) => {
      const part = row[1 + 2 * at], whole = row[2 + 2 * at];
      if (!part && !whole) { td.append("–"); return; }
      const rate = whole ? part / whole : 1;
      const fill = make("i", rate >= 0.95 ? "hot" : rate >= 0.8 ? "warm" : "");
      fill.style.width = Math.min(100 * rate, 100).toFixed(1) + "%";
      td.append(make("span", "", amount(part, unit) + " of " + amount(whole, unit) + " · " + percent(rate)));
      td.append(make("span", "bar", fill));
    },
  });

  const preempted = (row) => (row[8] === null ? text(row[9]) : "preempted by " + text(row[8]));
  const COLUMNS = {
    pods: [
      texts("Pod", 0, "name"),
      { title: "Status", value: (row) => text(row[1]), words: true, cell: (row, td) => td.append(make("span", "dot " + text(row[1]), text(row[1]))) },
      texts("Node", 2, "name"),
      number("Created", 3), number("Bound", 4), number("Waited", 5), number("Attempts", 6),
      { ...number("Priority", 7), isWorthIt: (row) => row[7] !== 0 },
      ...data.asked.map((at, place) => asked(data.resources[at], 10 + place)),
      { title: "Why", css: "said", value: preempted, words: true },
    ],
    nodes: [texts("Node", 0, "name"), ...data.resources.map((resource, at) => used(at, resource.unit))],
  };

  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);
  const isNothing = (value) => value === null || value === "";

  const listing = (box) => {
    const name = box.dataset.rows, rows = data[name], columns = COLUMNS[name].filter(
      (column) => rows.some(column.isWorthIt || ((row) => !isNothing(column.value(row)))));
    const table = box.querySelector("table"), frame = box.querySelector(".rows");
    const search = box.querySelector("input"), choice = box.querySelector("select");
    const words = rows.map((row) => columns.filter((each) => each.words).map((each) => each.value(row)).join("\n").toLowerCase());
    let order = rows.map((_, at) => at), shown = 0, sorted = null, direction = 1;

    const head = make("tr", "");
    columns.forEach((column) => {
      const button = make("button", "", column.title), cell = make("th", column.css === "figure-cell" ? column.css : "", button);
      button.type = "button";
      button.addEventListener("click", () => {
        direction = sorted === column ? -direction : column.words ? 1 : -1;
        sorted = column;
        head.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
        cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        update();
      });
      head.append(cell);
    });
    const body = make("tbody", "");
    table.append(make("thead", "", head), body);

    const more = () => {
      for (const at of order.slice(shown, shown + CHUNK)) {
        const line = make("tr", "");
        for (const column of columns) {
          const cell = make("td", column.css);
          if (column.cell) column.cell(rows[at], cell); else cell.append(column.value(rows[at]));
          line.append(cell);
        }
        body.append(line);
      }
      shown = Math.min(shown + CHUNK, order.length);
    };
    const update = () => {
      const wanted = search.value.trim().toLowerCase(), status = choice ? choice.value : "";
      order = [];
      rows.forEach((row, at) => {
        if ((!wanted || words[at].includes(wanted)) && (!status || text(row[1]) === status)) order.push(at);
      });
      if (sorted) {
        const keys = new Map(order.map((at) => [at, sorted.value(rows[at])]));
        order.sort((a, b) => {
          const one = keys.get(a), other = keys.get(b);
          if (isNothing(one) || isNothing(other)) return isNothing(one) - isNothing(other) || a - b;
          return direction * compare(one, other) || a - b;
        });
      }
      body.replaceChildren();
      shown = 0;
      more();
      if (!order.length && rows.length) {
        const cell = make("td", "empty", "Nothing matches.");
        cell.colSpan = columns.length;
        body.append(make("tr", "", cell));
      }
      frame.scrollTop = 0;
      box.querySelector(".shown").textContent = order.length === rows.length ? plural(rows.length, "row") : grouped.format(order.length) + " of " + plural(rows.length, "row");
    };
    frame.addEventListener("scroll", () => {
      if (shown < order.length && frame.scrollTop + frame.clientHeight > frame.scrollHeight - 600) more();
    }, { passive: true });
    search.addEventListener("input", update);
    if (choice) {
      const counts = new Map();
      rows.forEach((row) => counts.set(text(row[1]), (counts.get(text(row[1])) || 0) + 1));
      choice.append(new Option("All statuses", ""));
      [...counts].sort().forEach(([status, count]) => choice.append(new Option(status + " (" + grouped.format(count) + ")", status)));
      choice.addEventListener("change", update);
    }
    update();
  };

  /* The timeline: a step is laid out when it is opened for the first time. */
  const entries = (items) => {
    const list = make("ul", ""), box = make("div", "", list);
    const add = (from, to) => items.slice(from, to).forEach((item) => list.append(make("li", "", ...item)));
    add(0, LIST);
    if (items.length > LIST) {
      const button = make("button", "more", "Show all " + grouped.format(items.length));
      button.type = "button";
      button.addEventListener("click", () => { add(LIST); button.remove(); });
      box.append(button);
    }
    return box;
  };
  const named = (at) => make("span", "name", text(at));
  const CHANGED = ([kind, name]) => [text(kind) + " ", named(name)];
  const SORTS = [
    ["created", "Created", CHANGED], ["patched", "Patched", CHANGED], ["deleted", "Deleted", CHANGED],
    ["scheduled", "Scheduled", ([pod, node]) => [named(pod), " → ", named(node)]],
    ["preempted", "Preempted", ([pod, node, by]) => [named(pod), node === null ? "" : " on ", named(node), by === null ? "" : " by ", named(by)]],
  ];
  const lay = (box, step) => {
    SORTS.filter(([sort]) => step[sort]).forEach(([sort, title, show]) => {
      box.append(make("h3", "", title + " (" + grouped.format(step[sort].length) + ")"), entries(step[sort].map(show)));
    });
    const reasons = new Map();
    (step.pending || []).forEach(([pod, reason]) => {
      const alike = text(reason).replace(/\d+/g, "#");
      if (!reasons.has(alike)) reasons.set(alike, { reason, pods: [] });
      reasons.get(alike).pods.push(pod);
    });
    reasons.forEach(({ reason, pods }) => {
      box.append(make("h3", "", "Pending (" + grouped.format(pods.length) + ")"));
      if (reason !== null) box.append(make("p", "small", text(reason)));
      box.append(entries(pods.map((pod) => [named(pod)])));
    });
    if (!box.childNodes.length && !("failed" in step)) box.append(make("p", "soft small", step.done ? "The Scenario was told that it is done." : "Nothing happened."));
    if ("failed" in step) box.append(make("p", "small Failed", text(step.failed)));
  };
  document.querySelectorAll(".step").forEach((each) => each.addEventListener("toggle", () => {
    const box = each.querySelector(".happened");
    if (each.open && !box.childNodes.length) lay(box, data.steps[each.dataset.at]);
  }));
  document.querySelectorAll(".listing").forEach(listing);

  /* Mark the part of the page that is in view. */
  const links = new Map([...document.querySelectorAll(".places a")].map((link) => [link.hash.slice(1), link]));
  const mark = () => {
    const seen = [...document.querySelectorAll("main section")].filter((each) => each.getBoundingClientRect().top < 140).pop();
    links.forEach((link, name) => link.classList.toggle("here", Boolean(seen) && seen.id === name));
  };
  document.addEventListener("scroll", mark, { passive: true });
  mark();
})();
