// Makes report.html react: pictures that show their numbers, rows to hide, tables to sort, pictures to choose. Words and tables
// are there without this script; the numbers are in the element #data, which html.h describes.
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);

// ---- Numbers, as the tables write them ----

function decimals(value) {
  const size = Math.abs(value);
  return size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
}
function format(value) {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 1e6 ? value.toExponential(1) : value.toFixed(decimals(value)).replace(/^-(0\.?0*)$/, '$1');
}
const multiple = (length) => data.train_length ? ` (${+(length / data.train_length).toPrecision(3)}x)` : '';

// A score by the indices of metric, condition, row and length: its text as in the tables, and what else html.h describes.
function score(m, c, r, l) {
  const {n, unit, rows, best} = data.metrics[m].scores[c];
  const {ranked, not_learned} = data.rows[r];
  const found = rows[r][l];
  if (typeof found === 'string') return {text: found};
  const [y, sd, low, high, ...values] = found.map((value) => value === null ? NaN : value * unit);
  const count = values.filter(Number.isFinite).length;
  const spread = Math.abs(y) >= 1e6 ? sd.toExponential(1) : sd.toFixed(decimals(y));
  const mean = count < 2 ? format(y) : `${format(y)} ± ${spread}`;
  const interval = Number.isFinite(low) ? `${format(low)} to ${format(high)}` : '';
  return {text: !ranked ? `(${mean})` : count < n ? `${mean} (n = ${count})` : mean, y, low, high, values, interval, best: best[l].includes(r),
    not_learned: ranked ? not_learned : 0};
}

// ---- Rows that are hidden, everywhere on the page ----

const off = new Set();
const charts = [];  // whose lines are rows
const bar = html('div', {class: 'bar', role: 'status', hidden: true});

function toggle(...labels) {
  for (const label of labels) if (!off.delete(label)) off.add(label);
  show();
}

function show() {
  for (const element of all('[data-row]')) element.classList.toggle('off', off.has(element.dataset.row));
  for (const button of all('[data-toggle]')) button.setAttribute('aria-pressed', !off.has(button.dataset.toggle));
  bar.hidden = off.size === 0;
  bar.replaceChildren(`${off.size} of ${data.rows.length} rows hidden: `,
    ...[...off].slice(0, 6).map((label) => html('button', {onclick: () => toggle(label)}, label + ' ×')),
    ...(off.size > 6 ? ['…'] : []), html('button', {onclick: () => toggle(...off)}, 'show all'));
  for (const chart of charts) chart.draw();
  history.replaceState([...off], '');
}

// The row under the mouse, in all curves, legends and tables.
function point(label) {
  for (const element of all('.hot')) element.classList.remove('hot');
  for (const chart of charts) chart.highlight(label);
  if (label === null) return;
  for (const element of all('tr[data-row], .legend li')) {
    if ((element.dataset.row ?? element.dataset.of) === label) element.classList.add('hot');
  }
}

// ---- Curves of rows ----

// A metric by length under a condition.
function scoreCurves(m, c) {
  const {name, better, fraction, references = [], scores} = data.metrics[m];
  const finite = (points) => points.filter((p) => Number.isFinite(p.y));
  return {x_label: 'length', y_label: `${name} (${better} is better)`, log2_x: true, points: true, past: data.train_length || undefined,
    ...(fraction ? {low: 0, high: 1.02} : {}),
    series: data.rows.map((row, r) => ({index: r, name: row.name, note: scores[c].notes?.[row.name] ?? '',
      points: finite(data.lengths.map((x, l) => ({x, ...score(m, c, r, l)})))})),
    references: c > 0 ? [] : references.map(({name, values}) => ({name, note: '', points: finite(data.lengths.map((x, l) => ({x, y: values[l] ?? NaN})))}))};
}

// The lines of another chart, which html.h describes.
function curves(picture) {
  const scaled = (values = []) => values.map((v) => v === null ? NaN : v * picture.unit);
  const line = ({name, note = '', x = picture.series[0].x, y, low, high}, index) =>
    ({index, name, note, points: points(data.x[x], scaled(y), {low: scaled(low), high: scaled(high)})});
  return {...picture, series: picture.series.map(line), references: []};
}

// One line for each row, which can be hidden, and switches for what is shown.
class RowLines extends Lines {
  constructor(name) {
    super(name);
    const isMain = name === 'main';
    this.name = name;
    this.picked = {metric: 0, condition: 0, log: 0, past: 0};
    this.fewest = 1;
    this.legend.className = 'legend';
    this.legend.setAttribute('aria-label', 'rows; press to hide or show');
    const {past, series} = this.chart;
    const pick = (what) => (i) => { this.picked[what] = i; this.draw(); };
    const several = (what, names) => isMain && names.length > 1 ? [chooser(what, names, 0, pick(what))] : [];
    this.controls = html('div', {class: 'controls'},
      ...several('metric', data.metrics.map((metric) => metric.name)), ...several('condition', data.conditions), choice('scale', ['linear', 'log'], pick('log')),
      ...(past && series.some((line) => line.points.some((p) => p.x > past))
        ? [choice('range', [isMain ? 'all lengths' : 'all', 'past the training length'], pick('past'))] : []),
      ...(isMain && data.rows.length > 2 ? [html('button', {onclick: () => toggle(...data.rows.map((row) => row.name).filter((name) => !off.has(name)))}, 'hide all')] : []));
  }

  get chart() {
    return this.name === 'main' ? scoreCurves(this.picked.metric, this.picked.condition) : curves(data.pictures[this.name]);
  }

  draw() {
    const {chart: picture, picked: {log, past}} = this;
    const inRange = (p) => (!past || p.x > picture.past) && (!log || p.y > 0);
    const shown = (line) => ({...line, points: line.points.filter(inRange), off: off.has(line.name)});
    const series = picture.series.map(shown);
    const references = picture.references.map(shown).filter((line) => this.isNear(line, series));
    const ofLengths = picture.points && {dots: 3.6, ticks: data.lengths.filter((x) => !past || x > picture.past),
      name_x: (x, wide) => x + (wide ? multiple(x) : '')};
    super.draw({...picture, series, references, log: log === 1, shape: [.6, 280, 440], ...ofLengths,
      ...(log ? {low: undefined, high: undefined} : {})});
    this.highlight(this.hot ?? null);
  }

  // References that are far from all lines would compress the scale.
  isNear({points}, series) {
    const values = series.filter((line) => !line.off).flatMap((line) => line.points.map((p) => p.y));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = (high - low) / 2;
    return points.length > 0 && points.every((p) => p.y >= low - margin && p.y <= high + margin);
  }

  entry({name, note}, sample) {
    return html('li', {'data-of': name, onpointerenter: () => point(name), onpointerleave: () => point(null)},
      html('button', {'data-toggle': name, 'aria-pressed': !off.has(name), onclick: () => toggle(name)}, sample,
        html('span', {}, name, ...(note ? [html('small', {}, ` (${note})`)] : []))));
  }

  far(across, down) { return Math.hypot(across, down); }

  select(at) {
    super.select(at);
    if (at && this.hot !== at.line.name) point(at.line.name);
  }

  leave() {
    super.leave();
    point(null);
  }

  highlight(name) {
    this.hot = name;
    this.picture.classList.toggle('dim', this.lines.some((line) => line.name === name));
    for (const group of all('.series', this.picture)) group.classList.toggle('hot', group.dataset.name === name);
  }

  words(line, {x, y, text = format(y), low, high, interval = low !== high ? `${format(low)} to ${format(high)}` : '', values = [], not_learned}) {
    return [line.name, `${this.view.x_label} ${+x.toFixed(1)}${this.view.points ? multiple(x) : ''}`, html('b', {}, text),
      ...(interval && Number.isFinite(low) ? [`95 % interval ${interval}`] : []),
      ...values.flatMap((value, i) => Number.isFinite(value) ? [`seed ${data.seeds[i]}: ${format(value)}`] : []),
      ...(not_learned ? [`${not_learned} not learned`] : [])];
  }
}

// ---- Pictures of models ----

// What a heatmap draws of the letters that heatmap.h describes.
function cellsOf({cells, columns, matrix, low, high, ...labels}) {
  const letters = cells.map((row) => row.replace(/(\D)(\d+)/g, (_, letter, count) => letter.repeat(count)));
  const level = (letter = '?') => letter === '!' ? NaN : letter.charCodeAt() - 63;
  const names = (count, cells) => range(cells).map((i) => {
    const [first, end] = [i, i + 1].map((at) => Math.floor(at * count / cells));
    return end - first > 1 ? `${first}–${end - 1}` : `${first}`;
  });
  return {...labels, rows: names(matrix[0], cells.length), cols: names(matrix[1], columns), size: matrix, square: matrix[0] === matrix[1],
    value: (r, c) => low + level(letters[r][c]) / 62 * (high - low), most: Math.max(high, -low), palette: low < 0 ? 'diverging' : 'sequential'};
}

// How each is drawn; those that are hidden, when they are chosen.
const drawn = new Map();
function drawFigures() {
  for (const [figure, draw] of drawn) if (!figure.hidden) draw();
}

// A chooser for each thing by which the pictures differ.
function chooseFrom(gallery) {
  const figures = all('figure', gallery);
  const values = {};
  for (const figure of figures) {
    for (const [name, value] of Object.entries(figure.dataset)) (values[name] ??= new Set()).add(value);
  }
  const chosen = {};
  const count = html('span', {role: 'status'});
  const choose = () => {
    for (const figure of figures) {
      figure.hidden = Object.entries(chosen).some(([name, value]) => value && (figure.dataset[name] ?? value) !== value);
    }
    count.textContent = `${figures.filter((figure) => !figure.hidden).length} of ${figures.length} pictures`;
    drawFigures();
  };
  const controls = html('div', {class: 'controls'});
  for (const [name, set] of Object.entries(values)) {
    if (set.size < 2) continue;
    const options = ['', ...set];
    const first = name === 'row' ? 0 : options.includes('attention') ? options.indexOf('attention') : options.length - 1;
    chosen[name] = options[first];
    controls.append(chooser(name, ['all', ...set], first, (i) => { chosen[name] = options[i]; choose(); }));
  }
  controls.append(count);
  gallery.before(controls);
  choose();
}

// ---- Tables ----

function sortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const number = (text) => {
    const plain = text.replace(/,/g, '').replace(/^> /, '').replace('−', '-').replace('∞', 'Infinity');
    return /^-?(\d[\d.]*(e[+-]\d+)?|Infinity)(\s|$)/.test(plain) ? parseFloat(plain) : NaN;
  };
  const sort = (column) => {
    const now = heads[column].getAttribute('aria-sort');
    const next = now === 'ascending' ? 'descending' : now === 'descending' ? null : 'ascending';
    for (const head of heads) head.removeAttribute('aria-sort');
    if (next) heads[column].setAttribute('aria-sort', next);
    const sign = next === 'descending' ? -1 : 1;
    const values = new Map(original.map((row) => [row, row.cells[column]?.innerText ?? '']));
    const words = !original.some((row) => !Number.isNaN(number(values.get(row))));
    const compare = (a, b) => {
      const below = a.matches('.reference') - b.matches('.reference');
      if (below || !next) return below || original.indexOf(a) - original.indexOf(b);
      const [x, y] = [values.get(a), values.get(b)];
      if (words) return sign * x.localeCompare(y);
      const [p, q] = [number(x), number(y)];
      return Number.isNaN(p) - Number.isNaN(q) || (Number.isNaN(p) || p === q ? 0 : sign * (p < q ? -1 : 1));
    };
    body.append(...[...original].sort(compare));
  };
  heads.forEach((head, column) =>
    head.replaceChildren(html('button', {class: 'sort', onclick: () => sort(column)}, ...head.childNodes)));
}

// The tables of other metrics and conditions, below that of the headline, whose rows and first columns they have.
function addTables(frame) {
  const {lengths, conditions, metrics} = data;
  const heads = [...frame.tHead.rows[0].cells];
  const legend = frame.caption.textContent.slice(metrics[0].title.length);
  const add = (name, title, kept, columns, references = []) => {
    const cell = ({text, y, interval, best}) => html('td', {class: best ? 'best' : y === undefined && 'none'}, ...text.split(/(?= \(n)/).map((part, i) =>
      i ? html('small', {}, part) : part), ...(interval ? [html('small', {}, interval)] : []));
    const table = frame.cloneNode(true);
    table.caption.textContent = title + legend;
    for (const row of all('.reference', table)) row.remove();
    for (const row of table.rows) while (row.cells.length > kept) row.deleteCell(-1);
    table.tHead.rows[0].append(...columns.map(({head}) => html('th', {scope: 'col'}, head)));
    [...table.tBodies[0].rows].forEach((row, r) => row.append(...columns.map(({m, c, l}) => cell(score(m, c, r, l)))));
    for (const {name, values} of references.filter(({values}) => values.some(Number.isFinite))) {
      table.tBodies[0].append(html('tr', {class: 'reference'}, html('th', {scope: 'row'}, name),
        ...heads.slice(1, kept).map((head) => html('td', {class: head.matches('.detail') && 'detail'})), ...values.map((value) => html('td', {}, format(value)))));
    }
    frame.closest('#tables').append(html('div', {'data-table': name, hidden: true}, html('div', {class: 'scroll'}, table)));
  };
  const kept = heads.length - lengths.length;
  metrics.forEach(({name, title, references}, m) => m && add(name, title, kept, lengths.map((_, l) => ({head: heads[kept + l].textContent, m, c: 0, l})), references));
  if (conditions.length > 1) data.titles.forEach((title, l) => add(title, title, heads.filter((head) => head.matches('.name')).length,
    conditions.map((head, c) => ({head, m: 0, c, l}))));
}

// One of the tables at a time.
function chooseTable(group) {
  const tables = [...group.children];
  if (tables.length < 2) return;
  const show = (chosen) => tables.forEach((table, i) => { table.hidden = i !== chosen; });
  group.before(html('div', {class: 'controls'}, chooser('table', tables.map((table) => table.dataset.table), 0, show)));
}

// A click on a row hides it; with the keyboard, its name does.
function hideable(row) {
  const label = row.dataset.row;
  row.addEventListener('click', () => getSelection().isCollapsed && toggle(label));
  row.addEventListener('pointerenter', () => point(label));
  row.addEventListener('pointerleave', () => point(null));
  const name = row.cells[0];
  name.replaceChildren(html('button', {'data-toggle': label, 'aria-pressed': true, title: 'hide this row'}, ...name.childNodes));
}

// ---- The page ----

// A page of an experiment that still runs can load itself again.
function watch(line) {
  const watching = location.hash === '#watch';
  const box = html('input', {type: 'checkbox', checked: watching, onchange: () => {
    history.replaceState(history.state, '', box.checked ? '#watch' : location.pathname + location.search);
  }});
  line.append(html('label', {}, box, ' load it again every 30 seconds'));
  setInterval(() => box.checked && location.reload(), 30000);
}

// A page that is watched is loaded again and again; the hidden rows stay hidden.
for (const label of history.state ?? []) if (data.rows.some(({name}) => name === label)) off.add(label);
all('#tables tr[data-row]').slice(0, 1).forEach((row) => addTables(row.closest('table')));
for (const table of all('table')) if (table.tHead && table.tBodies.length === 1) sortable(table);
all('#tables').forEach(chooseTable);
all('tr[data-row]').forEach(hideable);
for (const figure of all('figure[id]')) {
  const name = figure.id.slice('figure-'.length);
  const picture = data.pictures[name];
  if (['main', 'training', 'by_position'].includes(name)) {
    const plot = new RowLines(name);
    figure.prepend(plot.controls, html('div', {class: 'curves'}, plot.element, plot.legend));
    charts.push(plot);
  } else {
    const plot = picture.cells ? new Heatmap(`${picture.y_label} by ${picture.x_label}`) : new Lines(picture.y_label);
    const view = picture.cells ? cellsOf(picture) : curves(picture);
    figure.prepend(plot.element);
    drawn.set(figure, () => plot.draw(view));
  }
}
all('.gallery').forEach(chooseFrom);
all('.progress').forEach(watch);
document.body.append(bar);
onChange(() => { charts.forEach((chart) => chart.draw()); drawFigures(); });
addEventListener('beforeprint', () => all('details.more').forEach((details) => { details.open = true; }));
show();
})();
