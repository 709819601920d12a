// Lets readers of report.html choose tables and pictures, hide rows, and sort tables. Without it, everything is visible.
'use strict';
(() => {
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// ---- Choose: the parts of a group are told apart by their data attributes, and there is a chooser for each of these ----

// Of rows and of what tells claims apart all, of lengths and layers the last, of anything else the first; of pictures attention, if there is any.
function first(name, values) {
  if (['row', 'verdict', 'paper', 'encoding'].includes(name)) return '';
  if (values.includes('attention')) return 'attention';
  return ['length', 'layer'].includes(name) ? values.at(-1) : values[0];
}

function choose(group) {
  const parts = [...group.children];
  const of = (part, name) => part.dataset[name]?.split('\n') ?? [];  // several are on lines of their own
  const valuesOf = (name) => [...new Set(parts.flatMap((part) => of(part, name)).filter(Boolean))];
  const names = [...new Set(parts.flatMap((part) => Object.keys(part.dataset)))].filter((name) => valuesOf(name).length > 1);
  const choosers = names.map((name) => make('select', {name, onchange: show}, make('option', {value: ''}, 'all'),
    ...valuesOf(name).map((value) => make('option', {value, selected: value === first(name, valuesOf(name))}, value))));
  function show() {
    for (const part of parts)
      part.hidden = choosers.some(({name, value}) => value && name in part.dataset && !of(part, name).includes(value));
  }
  group.before(make('p', {className: 'controls'}, ...choosers.map((select) => make('label', {}, select.name + ' ', select))));
  show();
}

// ---- Hide: a legend hides a row everywhere ----

function hide(entry) {
  const of = (one) => one.dataset.row === entry.dataset.row;
  const button = make('button', {title: 'hide or show', onclick: () => {
    const off = button.getAttribute('aria-pressed') === 'true';
    for (const one of all('[data-row]').filter(of)) {
      one.matches('li') ? one.firstChild.setAttribute('aria-pressed', !off) : one.classList.toggle('off', off);
    }
  }}, ...entry.childNodes);
  button.setAttribute('aria-pressed', true);
  entry.append(button);
}

// ---- Sort: by the column whose heading is pressed, downwards when it is pressed again; baselines stay below ----

function sort(table, head) {
  const text = (row) => row.cells[head.cellIndex]?.textContent ?? '';
  const number = (row) => Number(/^[(> ]*([-−]?[\d.,]+(e[+-]\d+)?|−?∞)(?![^\s)/])/.exec(text(row))?.[1]
    .replaceAll(',', '').replace('−', '-').replace('∞', 'Infinity'));
  const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
  for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
  const rows = [...table.tBodies[0].rows];
  const words = rows.every((row) => Number.isNaN(number(row)));
  const compare = (a, b) => a.matches('.reference') - b.matches('.reference') || (words ? sign * text(a).localeCompare(text(b))
    : Number.isNaN(number(a)) - Number.isNaN(number(b)) || sign * (number(a) - number(b)) || 0);
  table.tBodies[0].append(...rows.sort(compare));
}

function sortable(table) {
  for (const head of table.tHead?.rows[0].cells ?? [])
    head.replaceChildren(make('button', {className: 'sort', onclick: () => sort(table, head)}, ...head.childNodes));
}

all('.choose').forEach(choose);
all('.legend [data-row]').forEach(hide);
all('table').forEach(sortable);
})();
