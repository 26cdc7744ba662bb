// Draws the relations of the table as a graph. It is a single tab stop: arrow keys move the focus, Space adds
// neighbors, Enter opens the page. The table has the same information.
"use strict";

const TICKS = 300, MAX_LABEL_LENGTH = 24, MAX_ADDED = 5;
const STRETCH = 2.1, MIN_SCALE = 0.55; // labels are wide and flat, so the layout is stretched horizontally
const section = document.querySelector("[data-graph]");
const canvas = section.querySelector("[data-canvas]");
const statusLine = section.querySelector("[data-selected]");
section.classList.add("drawn");
const WIDTH = canvas.clientWidth, HEIGHT = canvas.clientHeight;
const nodes = [{ id: section.dataset.url, url: section.dataset.url, name: section.dataset.name, kind: section.dataset.type, description: "", center: true, fx: 0, fy: 0 }];
const links = [];
let current = 0;

for (const row of document.querySelectorAll("[data-edges] tr[data-id]")) {
  const { url, name, type, label } = row.dataset;
  add(nodes[0], { url, name, type, label, kind: row.cells[2].textContent });
}

function add(source, { url, name, type, label, kind }) {
  let node = nodes.find((candidate) => candidate.url === url);
  if (!node) {
    const angle = nodes.length;
    node = { id: url, url, name, type, kind, description: `${source.name} ${label} ${name}.`, x: (source.x ?? source.fx ?? 0) + 40 * Math.cos(angle), y: (source.y ?? source.fy ?? 0) + 40 * Math.sin(angle) };
    nodes.push(node);
  }
  if (!links.some((link) => link.source === source && link.target === node)) links.push({ source, target: node, label: `${source.name} ${label} ${name}` });
}

const svg = d3.select(canvas).append("svg").attr("viewBox", `0 0 ${WIDTH} ${HEIGHT}`).attr("role", "group").attr("aria-label", `Graph of ${section.dataset.name}`).attr("aria-describedby", "graph-keys");
const root = svg.append("g");
const lines = root.append("g").attr("aria-hidden", "true");
const anchors = root.append("g");
const zoom = d3.zoom().scaleExtent([0.3, 4]).filter((event) => event.type !== "wheel" || event.ctrlKey).on("zoom", (event) => root.attr("transform", event.transform));
svg.call(zoom).on("dblclick.zoom", null);

function draw() {
  const simulation = d3.forceSimulation(nodes)
    .force("link", d3.forceLink(links).distance(90).strength(0.4))
    .force("charge", d3.forceManyBody().strength(-160))
    .force("collide", d3.forceCollide(27).iterations(4))
    .stop();
  simulation.tick(TICKS); // compute the final layout at once, without animation
  lines.selectAll("line").data(links).join((enter) => { const line = enter.append("line"); line.append("title").text((link) => link.label); return line; }).attr("x1", (link) => link.source.x * STRETCH).attr("y1", (link) => link.source.y).attr("x2", (link) => link.target.x * STRETCH).attr("y2", (link) => link.target.y);
  const drawn = anchors.selectAll("a").data(nodes, (node) => node.id).join((enter) => {
    const anchor = enter.append("a").attr("href", (node) => `/explore${node.url}`).attr("aria-label", (node) => `${node.name}, ${node.kind}`);
    anchor.append("circle").attr("r", (node) => (node.center ? 11 : 7));
    anchor.append("text").attr("text-anchor", "middle").attr("aria-hidden", "true").attr("y", (node) => (node.center ? 28 : 21)).text((node) => (node.name.length > MAX_LABEL_LENGTH ? `${node.name.slice(0, MAX_LABEL_LENGTH - 1)}…` : node.name));
    return anchor;
  });
  drawn.attr("class", (node) => (node.center ? "center" : `type-${node.type}`)).attr("transform", (node) => `translate(${node.x * STRETCH},${node.y})`).attr("tabindex", (_, index) => (index === current ? 0 : -1));
  drawn.on("focus", (_, node) => { current = nodes.indexOf(node); describe(node); markSelected(); });
  fit();
}

function markSelected() {
  anchors.selectAll("a").attr("tabindex", (_, index) => (index === current ? 0 : -1)).classed("selected", (_, index) => index === current);
}

function describe(node) {
  statusLine.textContent = `${node.name} (${node.kind}). ${node.description}`;
}

function fit() {
  const padding = 80, xs = nodes.map((node) => node.x * STRETCH), ys = nodes.map((node) => node.y);
  const left = Math.min(...xs) - padding, right = Math.max(...xs) + padding, top = Math.min(...ys) - padding / 2, bottom = Math.max(...ys) + padding / 2;
  const scale = Math.max(MIN_SCALE, Math.min(1.4, WIDTH / (right - left), HEIGHT / (bottom - top)));
  svg.call(zoom.transform, d3.zoomIdentity.translate(WIDTH / 2, HEIGHT / 2).scale(scale).translate(-(left + right) / 2, -(top + bottom) / 2));
}

function nearest(key) {
  const from = nodes[current];
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  let best = -1, lowest = Infinity;
  nodes.forEach((node, index) => {
    const along = (node.x - from.x) * dx + (node.y - from.y) * dy;
    const across = Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx);
    const cost = along + 2 * across;
    if (index !== current && along > 1 && cost < lowest) [best, lowest] = [index, cost];
  });
  return best;
}

async function addNeighbors() {
  const source = nodes[current], before = nodes.length;
  const response = await fetch(source.url, { headers: { Accept: "application/json" } });
  if (!response.ok) {
    statusLine.textContent = `Could not load the neighbors of ${source.name}.`;
    return;
  }
  const record = await response.json();
  for (const edge of record.edges) {
    for (const card of edge.items.slice(0, MAX_ADDED)) add(source, { url: card.url, name: card.name, type: card.type, label: edge.label, kind: TYPE_LABELS[card.type] });
  }
  draw();
  focus(current);
  statusLine.textContent = `${nodes.length - before} neighbors of ${source.name} added.`;
}

function focus(index) {
  current = index;
  anchors.selectAll("a").filter((_, position) => position === index).node().focus();
}

canvas.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    const next = nearest(event.key);
    if (next >= 0) focus(next);
  } else if (event.key === " ") {
    event.preventDefault();
    addNeighbors();
  } else if (event.key === "+" || event.key === "-") {
    svg.call(zoom.scaleBy, event.key === "+" ? 1.3 : 0.77);
  } else if (event.key === "Home") {
    event.preventDefault();
    focus(0);
  }
});
section.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
  const factor = Number(button.dataset.zoom);
  if (factor) svg.call(zoom.scaleBy, factor);
  else fit();
}));
section.querySelector("[data-add]").addEventListener("click", addNeighbors);

draw();
describe(nodes[0]);
