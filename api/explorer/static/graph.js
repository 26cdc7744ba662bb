// Draws the table of relations as a picture, one tab stop in all: arrow keys move, space adds neighbors, Enter opens.
// The table stays: the picture says nothing that it does not.
"use strict";

const STEPS = 300, LONGEST = 24, MORE = 5;
const STRETCH = 2.1, SMALLEST = 0.55; // names are wide and not high: what is worked out round is drawn wide
const section = document.querySelector("[data-graph]");
const canvas = section.querySelector("[data-canvas]");
const chosenLine = section.querySelector("[data-chosen]");
section.classList.add("drawn");
const WIDTH = canvas.clientWidth, HEIGHT = canvas.clientHeight;
const nodes = [{ id: section.dataset.url, url: section.dataset.url, name: section.dataset.name, kind: section.dataset.type, says: "", center: true, fx: 0, fy: 0 }];
const links = [];
let current = 0;

for (const row of document.querySelectorAll("[data-edges] tr[data-id]")) {
  const { url, name, type, label } = row.dataset;
  add(nodes[0], { url, name, type, label, kind: row.cells[2].textContent });
}

function add(from, { url, name, type, label, kind }) {
  let node = nodes.find((one) => one.url === url);
  if (!node) {
    node = { id: url, url, name, type, kind, says: `${from.name} ${label} ${name}.`, x: (from.x ?? from.fx ?? 0) + 40 * Math.cos(nodes.length), y: (from.y ?? from.fy ?? 0) + 40 * Math.sin(nodes.length) };
    nodes.push(node);
  }
  if (!links.some((one) => one.source === from && one.target === node)) links.push({ source: from, target: node });
  return node;
}

const svg = d3.select(canvas).append("svg").attr("viewBox", `0 0 ${WIDTH} ${HEIGHT}`).attr("role", "group").attr("aria-label", `Picture of the neighborhood of ${section.dataset.name}`).attr("aria-describedby", "graph-keys");
const world = svg.append("g");
const lines = world.append("g").attr("aria-hidden", "true");
const places = world.append("g");
const zoom = d3.zoom().scaleExtent([0.3, 4]).filter((event) => event.type !== "wheel" || event.ctrlKey).on("zoom", (event) => world.attr("transform", event.transform));
svg.call(zoom).on("dblclick.zoom", null);

function draw() {
  const simulation = d3.forceSimulation(nodes)
    .force("link", d3.forceLink(links).distance(90).strength(0.4))
    .force("charge", d3.forceManyBody().strength(-160))
    .force("apart", d3.forceCollide(27).iterations(4))
    .stop();
  simulation.tick(STEPS); // to its end at once: nothing moves before people's eyes
  lines.selectAll("line").data(links).join("line").attr("x1", (one) => one.source.x * STRETCH).attr("y1", (one) => one.source.y).attr("x2", (one) => one.target.x * STRETCH).attr("y2", (one) => one.target.y);
  const drawn = places.selectAll("a").data(nodes, (one) => one.id).join((enter) => {
    const link = enter.append("a").attr("href", (one) => `/explore${one.url}`).attr("aria-label", (one) => `${one.name}, ${one.kind}`);
    link.append("circle").attr("r", (one) => (one.center ? 11 : 7));
    link.append("text").attr("text-anchor", "middle").attr("aria-hidden", "true").attr("y", (one) => (one.center ? 28 : 21)).text((one) => (one.name.length > LONGEST ? `${one.name.slice(0, LONGEST - 1)}…` : one.name));
    return link;
  });
  drawn.attr("class", (one) => (one.center ? "center" : `type-${one.type}`)).attr("transform", (one) => `translate(${one.x * STRETCH},${one.y})`).attr("tabindex", (_, at) => (at === current ? 0 : -1));
  drawn.on("focus", (_, one) => { current = nodes.indexOf(one); say(one); mark(); });
  fit();
}

function mark() {
  places.selectAll("a").attr("tabindex", (_, at) => (at === current ? 0 : -1)).classed("chosen", (_, at) => at === current);
}

function say(one) {
  chosenLine.textContent = `${one.name} (${one.kind}). ${one.says}`;
}

function fit() {
  const pad = 80, xs = nodes.map((one) => one.x * STRETCH), ys = nodes.map((one) => one.y);
  const left = Math.min(...xs) - pad, right = Math.max(...xs) + pad, top = Math.min(...ys) - pad / 2, bottom = Math.max(...ys) + pad / 2;
  const scale = Math.max(SMALLEST, Math.min(1.4, WIDTH / (right - left), HEIGHT / (bottom - top)));
  svg.call(zoom.transform, d3.zoomIdentity.translate(WIDTH / 2, HEIGHT / 2).scale(scale).translate(-(left + right) / 2, -(top + bottom) / 2));
}

function nearest(key) {
  const from = nodes[current];
  const ahead = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  let best = -1, least = Infinity;
  nodes.forEach((one, at) => {
    const along = (one.x - from.x) * ahead[0] + (one.y - from.y) * ahead[1];
    const aside = Math.abs((one.x - from.x) * ahead[1]) + Math.abs((one.y - from.y) * ahead[0]);
    const cost = along + 2 * aside;
    if (at !== current && along > 1 && cost < least) [best, least] = [at, cost];
  });
  return best;
}

async function grow() {
  const from = nodes[current], before = nodes.length;
  const answer = await fetch(from.url, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    chosenLine.textContent = `The neighbors of ${from.name} could not be read.`;
    return;
  }
  const record = await answer.json();
  for (const edge of record.edges) {
    for (const one of edge.items.slice(0, MORE)) add(from, { url: one.url, name: one.name, type: one.type, label: edge.label, kind: KINDS[one.type] });
  }
  draw();
  focus(current);
  chosenLine.textContent = `${nodes.length - before} neighbors of ${from.name} added.`;
}

function focus(at) {
  current = at;
  places.selectAll("a").filter((_, place) => place === at).node().focus();
}

canvas.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    const next = nearest(event.key);
    if (next >= 0) focus(next);
  } else if (event.key === " ") {
    event.preventDefault();
    grow();
  } else if (event.key === "+" || event.key === "-") {
    svg.call(zoom.scaleBy, event.key === "+" ? 1.3 : 0.77);
  } else if (event.key === "Home") {
    event.preventDefault();
    focus(0);
  }
});
section.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
  const by = Number(button.dataset.zoom);
  if (by) svg.call(zoom.scaleBy, by);
  else fit();
}));
section.querySelector("[data-add]").addEventListener("click", grow);

draw();
say(nodes[0]);
