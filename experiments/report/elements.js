// What the scripts of report.html and explorer.html share: elements, choosers, and round numbers for scales.
'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const colours = 7;
const dashes = ['', '7 4', '2 3', '8 3 2 3'];

// Of the line with this number: after seven rows the colours repeat with other dashes and hollow marks.
function style(index) {
  const colour = `var(--c${index % colours})`;
  return {colour, dash: dashes[Math.floor(index / colours) % dashes.length], fill: index < colours ? colour : 'var(--page)'};
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}
const html = (name, attributes = {}, ...children) => build(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  build(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

const rule = (x1, y1, x2, y2, attributes) => svg('line', {x1, y1, x2, y2, ...attributes});
const label = (x, y, text, attributes) => svg('text', {x, y, class: 'label', ...attributes}, text);

// A row of buttons of which one is on.
let groups = 0;
function choice(title, names, change) {
  const group = 'choice' + groups++;
  return html('fieldset', {'aria-label': title}, ...names.map((name, i) =>
    html('label', {}, html('input', {type: 'radio', name: group, checked: i === 0, onchange: () => change(i)}), name)));
}

function chooser(title, options, chosen, change) {
  const select = html('select', {onchange: () => change(select.selectedIndex)},
    ...options.map((name, i) => html('option', {selected: i === chosen}, name)));
  return html('label', {}, title + ' ', select);
}

// Round numbers from low to high, `count` of them or fewer.
function ticks(low, high, count, log) {
  const found = [];
  if (log) {
    const factors = high / low > 1e3 ? [1] : [1, 2, 5];
    for (let p = Math.floor(Math.log10(low)); p <= Math.log10(high); ++p) {
      for (const f of factors) if (f * 10 ** p >= low && f * 10 ** p <= high) found.push(f * 10 ** p);
    }
    if (found.length > 1) return found;
  }
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((f) => f * power >= rough);
  found.length = 0;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9) + 1e-12; ++i) found.push(+(i * step).toPrecision(12));
  return found;
}
