"use strict";

// All pages: contents are open beside the text, and closed above it on narrow screens.
const contents = document.querySelector(".contents");
if (contents) {
  const narrow = matchMedia("(max-width: 62rem)");
  const fold = () => { contents.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  contents.addEventListener("click", event => {
    if (narrow.matches && event.target.closest("nav a")) contents.open = false;
  });
}

// The contents mark what is being read: the last target above the upper third of the window.
if (contents) {
  const links = Array.from(contents.querySelectorAll("nav a[href^='#']"));
  const targets = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  let waiting = false;
  const mark = () => {
    waiting = false;
    let current = -1;
    targets.forEach((target, i) => {
      if (target && !target.hidden && target.getBoundingClientRect().top < innerHeight / 3) current = i;
    });
    links.forEach((link, i) => {
      if (i !== current) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        const top = link.offsetTop - contents.clientHeight / 2;
        if (contents.scrollHeight > contents.clientHeight) contents.scrollTop = top;
      }
    });
  };
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  }, {passive: true});
  mark();
}

const page = document.querySelector("main.docs");
if (page) documentation();

function documentation() {
  const resources = JSON.parse(page.dataset.resources); // {user_id: {label, operation}}
  const examples = JSON.parse(page.dataset.examples); // {id in the examples: user_id}
  const forms = Array.from(page.querySelectorAll(".try form"));
  const known = []; // {resource, id, within: {user_id: ...}}, newest last
  const element = id => document.getElementById(id);

  filter();
  for (const hidden of page.querySelectorAll(".try, .pairs-of-fields")) hidden.hidden = false;
  for (const form of forms) prepare(form);
  for (const step of page.querySelectorAll("[data-step]")) leadTo(step, step.dataset.step);

  // The search field of the contents hides the operations that do not have all of its words.
  function filter() {
    const input = element("filter");
    input.parentElement.hidden = false;
    const items = Array.from(document.querySelectorAll("nav [data-operation]"), link => {
      const operation = element(link.dataset.operation);
      return {item: link.parentElement, operation, text: operation.textContent.toLowerCase()};
    });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const {item, operation, text} of items) item.hidden = operation.hidden = !words.every(word => text.includes(word));
    });
  }

  function prepare(form) {
    form.addEventListener("submit", event => {
      event.preventDefault();
      send(form);
    });
    form.querySelector(".new-key")?.addEventListener("click", () => renewKey(form));
    form.querySelector(".choose")?.addEventListener("change", event => {
      form.querySelector(".body").dataset.example = event.target.value;
      renewKey(form);
      fill(form, true);
    });
    for (const input of form.querySelectorAll("input[data-in]")) {
      if (resources[input.name]) input.setAttribute("list", "ids-" + input.name);
      input.addEventListener("input", () => fill(form));
    }
    renewKey(form);
    fill(form, true);
  }

  // leadTo makes a link open the form of an operation, and moves the focus to its button.
  function leadTo(link, operation) {
    const form = forms.find(f => f.dataset.operation === operation);
    link.href = "#" + form.closest("details").id;
    link.addEventListener("click", event => {
      event.preventDefault(); // a jump to the target would take the focus away afterwards
      element("filter").value = "";
      element("filter").dispatchEvent(new Event("input"));
      form.closest("details").open = true;
      history.pushState(null, "", link.hash);
      const details = form.closest("details"), article = form.closest("article");
      const beside = details.getBoundingClientRect().top - article.getBoundingClientRect().top < innerHeight / 3;
      (beside ? article : details).scrollIntoView(); // on a narrow screen the form is far below the title
      form.querySelector("[type=submit]").focus({preventScroll: true});
    });
  }

  // --- Ids: those of the examples are replaced by those that responses have shown.

  function missing(resource) { return `<id of the ${resources[resource].label}>`; }

  // choose picks the newest id that fits what is chosen already, and adds it and what it is within to that.
  function choose(resource, chosen) {
    if (chosen[resource]) return chosen[resource];
    const fitting = known.filter(k => k.resource === resource &&
      Object.entries(k.within).every(([name, id]) => !chosen[name] || chosen[name] === id));
    const newest = fitting.at(-1);
    if (newest) Object.assign(chosen, newest.within, {[resource]: newest.id});
    return newest?.id;
  }

  // fill puts known ids into a form, unless the reader has typed something else there.
  function fill(form, anew = false) {
    let changed = false;
    const chosen = {};
    for (const input of form.querySelectorAll("input[data-in=path]")) {
      if (!resources[input.name]) continue;
      if (input.value === (input.dataset.filled ?? "") && document.activeElement !== input) {
        const id = choose(input.name, chosen) ?? "";
        changed ||= input.value !== id;
        input.value = input.dataset.filled = id;
      }
      if (input.value) chosen[input.name] = input.value;
    }
    const body = form.querySelector(".body");
    if (body?.dataset.example) {
      let text = element(body.dataset.example).textContent;
      const used = Object.entries(examples).filter(([id]) => text.includes(id));
      const depth = name => Math.max(0, ...known.filter(k => k.resource === name).map(k => Object.keys(k.within).length));
      used.sort(([, a], [, b]) => depth(b) - depth(a)); // an account before its owner, so that they belong together
      for (const [id, name] of used) text = text.replaceAll(id, choose(name, chosen) ?? missing(name));
      if (anew || body.value === body.filled) {
        changed ||= body.value !== text;
        body.value = text;
        body.rows = Math.min(24, text.split("\n").length + 1);
      } else {
        for (const [, name] of used) if (chosen[name]) body.value = body.value.replaceAll(missing(name), chosen[name]);
      }
      body.filled = text;
    }
    if (changed) renewKey(form);
  }

  // learn remembers the ids of an answer.
  function learn(form, text, path) {
    const resource = form.dataset.resource;
    if (!resources[resource] || !text) return;
    const answer = JSON.parse(text); // for ids, which are strings; numbers are only ever shown as text
    const items = Array.isArray(answer) ? answer : answer.items ?? [answer];
    const {[resource]: _, ...within} = path;
    for (const item of items.toReversed()) {
      if (typeof item.id !== "string" || known.some(k => k.resource === resource && k.id === item.id)) continue;
      const owners = Object.keys(resources).filter(name => name !== resource && typeof item[name] === "string");
      const entry = {resource, id: item.id, within: {...within, ...Object.fromEntries(owners.map(name => [name, item[name]]))}};
      if (form.dataset.method === "POST") known.push(entry); else known.unshift(entry);
      offer(entry);
    }
    for (const other of forms) if (other !== form) fill(other);
  }

  function offer({resource, id}) {
    let list = element("ids-" + resource);
    if (!list) {
      list = document.createElement("datalist");
      list.id = "ids-" + resource;
      page.append(list);
    }
    list.append(new Option(id, id));
  }

  // --- Idempotency keys.

  function renewKey(form) {
    const input = form.querySelector("[data-fresh]");
    if (!input) return;
    const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID needs https
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    const hex = Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
    input.value = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // --- Requests.

  function request(form) {
    const path = {}, query = new URLSearchParams(), headers = [], shown = [];
    for (const input of document.querySelectorAll("input[data-header]")) {
      headers.push([input.dataset.header, input.value]);
      // A secret that the reader typed is not shown again in the command.
      const secret = input.id === "client-secret" && input.value !== input.defaultValue;
      shown.push(secret ? `-H "${input.dataset.header}: $CLIENT_SECRET"` : "-H " + quote(`${input.dataset.header}: ${input.value}`));
    }
    const body = form.querySelector(".body");
    if (body) headers.push(["Content-Type", body.dataset.type]);
    for (const input of form.querySelectorAll("input[data-in]")) {
      if (input.dataset.in === "path") path[input.name] = input.value;
      else if (!input.value) continue;
      else if (input.dataset.in === "query") query.append(input.name, input.value);
      else headers.push([input.name, input.value]);
    }
    let url = location.origin + form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]));
    if (query.toString()) url += "?" + query;
    for (const [name, value] of headers.slice(shown.length)) shown.push("-H " + quote(`${name}: ${value}`));
    const command = ["curl -sS" + (form.dataset.method === "GET" || body ? "" : " -X " + form.dataset.method) +
      (body && form.dataset.method !== "POST" ? " -X " + form.dataset.method : "") + " " + quote(url), ...shown];
    if (body) command.push("--data " + quote(body.value));
    return {url, path, headers, body: body?.value, command: command.join(" \\\n  ")};
  }

  function quote(text) { return "'" + text.replaceAll("'", "'\\''") + "'"; }

  async function send(form) {
    const result = form.querySelector(".result");
    const needed = needs(form);
    if (needed.length) {
      const lines = needed.map(need => {
        const line = make("p", "notice", `Needed first: ${need.label}. `);
        if (need.operation) line.append(linkTo(need.operation, element(need.operation).querySelector("h3").textContent));
        return line;
      });
      result.replaceChildren(...lines);
      return;
    }
    const {url, path, headers, body, command} = request(form);
    result.replaceChildren(make("p", "", "Sending …"));
    const start = performance.now();
    let response, text;
    try {
      response = await fetch(url, {method: form.dataset.method, headers, body, cache: "no-store", credentials: "omit", redirect: "error"});
      text = await response.text();
    } catch (problem) {
      result.replaceChildren(make("p", "notice bad", `The request was not answered: ${problem.message}`), curl(command));
      return;
    }
    const took = Math.round(performance.now() - start);
    if (response.ok) learn(form, text, path);
    result.replaceChildren(...report(form, response, text, took), curl(command));
  }

  // needs lists what a request lacks.
  function needs(form) {
    const all = [];
    const body = form.querySelector(".body")?.value ?? "";
    for (const input of form.querySelectorAll("input[data-in=path]")) {
      if (!input.value) all.push(resources[input.name] ?? {label: input.name});
    }
    for (const [name, resource] of Object.entries(resources)) if (body.includes(missing(name))) all.push(resource);
    for (const input of document.querySelectorAll("input[data-header]")) {
      if (!input.value) all.push({label: input.dataset.header + ", under Credentials"});
    }
    return all;
  }

  function report(form, response, text, took) {
    const parts = [];
    const status = make("p", "outcome " + (response.ok ? "good" : "bad"));
    status.append(make("strong", "", `${response.status} ${response.statusText}`.trim()), ` in ${took} ms`);
    parts.push(status);
    if (response.headers.get("Idempotent-Replayed") === "true") {
      parts.push(make("p", "notice", "Idempotent-Replayed: this is what the first request with this key created. For another one, use “New key”."));
    }
    if (!response.ok) parts.push(...explain(text));
    else if (form.dataset.next) {
      const next = make("p", "next", "Next: ");
      next.append(linkTo(form.dataset.next, form.dataset.nextSummary));
      parts.push(next);
    }
    if (response.ok) document.querySelector(`[data-step="${form.dataset.operation}"]`)?.classList.add("done");
    const code = make("pre", "answer");
    code.append(make("code", "", pretty(text)));
    parts.push(code);
    const headers = make("details", "example");
    headers.append(make("summary", "", "Response headers"));
    const list = make("dl", "pairs");
    for (const [name, value] of response.headers) list.append(make("dt", "", name), make("dd", "", value));
    headers.append(list);
    parts.push(headers);
    return parts;
  }

  // explain shows the message of an error, and what is wrong where.
  function explain(text) {
    let error;
    try { error = JSON.parse(text); } catch { return []; }
    const parts = [make("p", "notice bad", `${error.code}: ${error.message}`)];
    if (element("error-" + error.code)) {
      const more = make("a", "", "What it means");
      more.href = "#error-" + error.code;
      parts[0].append(" ", more);
    }
    if (error.details?.length) {
      const list = make("ul", "");
      for (const detail of error.details) {
        const item = make("li", "", `${detail.in} `);
        item.append(make("code", "", detail.field), ` ${detail.reason}`);
        list.append(item);
      }
      parts.push(list);
    }
    return parts;
  }

  function curl(command) {
    const box = make("details", "example curl");
    box.append(make("summary", "", "The same with curl"));
    const text = make("pre", "");
    text.append(make("code", "", command));
    const button = make("button", "second", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command);
        button.textContent = "Copied";
      } catch { // without https there is no clipboard: the text is selected for the reader to copy
        getSelection().selectAllChildren(text);
        button.textContent = "Selected, copy it now";
      }
    });
    box.append(text, button);
    return box;
  }

  function linkTo(operation, text) {
    const link = make("a", "", text);
    leadTo(link, operation);
    return link;
  }

  function make(name, classes, text) {
    const node = document.createElement(name);
    if (classes) node.className = classes;
    if (text) node.textContent = text;
    return node;
  }
}

// pretty indents JSON without reading its numbers, so that 100.00 stays 100.00. Other text stays as it is.
function pretty(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
  if (!tokens || !/^\s*[{[]/.test(text)) return text;
  let out = "", depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    if (token === "}" || token === "]") {
      depth--;
      out += (before === "{" || before === "[" ? "" : line()) + token;
      return;
    }
    if (before === "{" || before === "[" || before === ",") out += line();
    if (before === ":") out += " ";
    if (token === "{" || token === "[") depth++;
    out += token;
  });
  return out;
}
