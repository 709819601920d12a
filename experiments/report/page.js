// Makes report.html react: pictures that show their numbers, rows to hide, tables to sort, pictures to choose. Words and tables
// are there without this script; the numbers are in the element #data, which page_data.h describes.
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);

// ---- Numbers, as the tables write them ----

function format(value) {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  if (size >= 1e6) return value.toExponential(1);
  return value.toFixed(size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0).replace(/^-(0\.?0*)$/, '$1');
}
const multiple = (length) => data.train_length ? ` (${+(length / data.train_length).toPrecision(3)}x)` : '';

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
  remember();
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

// A page that is watched is loaded again and again; the hidden rows stay hidden.
const key = 'ordinal ' + document.title;
function remember() {
  try { sessionStorage.setItem(key, JSON.stringify([...off])); } catch { /* not allowed in this browser */ }
}
function recall() {
  try {
    const known = new Set(data.rows.map((row) => row.label));
    for (const label of JSON.parse(sessionStorage.getItem(key) ?? '[]')) if (known.has(label)) off.add(label);
  } catch { /* as above */ }
}

// ---- Curves of rows ----

// The scores of a metric under a condition.
function scoreCurves({metric, condition}) {
  const {name, lower, fraction} = data.metrics[metric];
  const series = data.rows.map((row) => {
    const scores = row.scores[metric][condition];
    const has = (s) => s.mean !== undefined && !s.diverged;
    const gap = scores.findIndex((s) => !has(s) && (s.failed || s.diverged));
    const what = gap >= 0 && (scores[gap].diverged ? 'diverges' : 'fails');
    return {
      note: !row.learned ? 'not learned' : what ? what + (gap > 0 ? ` past ${data.lengths[gap - 1]}` : '') : '',
      points: scores.map((score, i) => ({x: data.lengths[i], y: score.mean, low: score.low, high: score.high, score,
        seeds: data.seeds.length < 3 ? score.values?.filter((y) => y !== null) : undefined})).filter((p) => has(p.score)),
    };
  });
  const references = condition > 0 ? [] : data.references.map((reference) => ({name: reference.label,
    points: data.lengths.map((x, i) => ({x, y: reference.scores[metric][i]})).filter((p) => p.y !== null)}));
  return {series, references, x_label: 'length', y_label: `${name} (${lower ? 'lower' : 'higher'} is better)`, log2_x: true,
    past: data.train_length, dots: 3.6, ticks: data.lengths, name_x: (x, wide) => x + (wide ? multiple(x) : ''), low: fraction ? 0 : undefined,
    high: fraction ? 1.02 : undefined};
}

function curves(picture) {
  const scaled = (values) => values?.map((v) => v === null ? NaN : v * picture.unit);
  const series = picture.series.map(({name, x, y, low, high}, index) =>
    ({index, name, points: points(x ?? picture.series[0].x, scaled(y), scaled(low), scaled(high))}));
  return {...picture, series};
}

// One line for each row, which can be hidden, and switches for what is shown.
class RowLines extends Lines {
  constructor(name) {
    super(name);
    this.picked = {metric: 0, condition: 0, log: 0, past: 0};
    this.picture_of = name === 'main' ? () => scoreCurves(this.picked) : () => curves(data.pictures[name]);
    this.fewest = 1;
    this.legend.className = 'legend';
    this.legend.setAttribute('aria-label', 'rows; press to hide or show');
    const {past, series} = this.picture_of();
    const isMain = name === 'main';
    const rows = data.rows.map((row) => row.label);
    const pick = (what) => (i) => { this.picked[what] = i; this.draw(); };
    const range = [isMain ? 'all lengths' : 'all', 'past the training length'];
    this.controls = html('div', {class: 'controls'},
      ...(isMain && data.metrics.length > 1 ? [chooser('metric', data.metrics.map((m) => m.name), 0, pick('metric'))] : []),
      ...(isMain && data.conditions.length > 1 ? [chooser('condition', data.conditions, 0, pick('condition'))] : []),
      choice('scale', ['linear', 'log'], pick('log')),
      ...(past && series.some((line) => line.points.some((p) => p.x > past)) ? [choice('range', range, pick('past'))] : []),
      ...(isMain && rows.length > 2 ? [html('button', {onclick: () => toggle(...rows.filter((row) => !off.has(row)))}, 'hide all')] : []));
  }

  draw() {
    const picture = this.picture_of();
    const {log, past} = this.picked;
    const inRange = (p) => (!past || p.x > picture.past) && (!log || p.y > 0);
    const shown = (line) => ({...line, points: line.points.filter(inRange)});
    const series = picture.series.map((line, index) =>
      ({...shown(line), index, name: data.rows[index].label, off: off.has(data.rows[index].label)}));
    const references = (picture.references ?? []).map(shown).filter((line) => this.isNear(line, series));
    super.draw({...picture, series, references, log: log === 1, shape: [.6, 280, 440],
      ...(log ? {low: undefined, high: undefined} : {}), ticks: picture.ticks?.filter((x) => !past || x > picture.past)});
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

  tell({line, p: {x, y, low, high, score}}) {
    return [line.name, `${this.view.x_label} ${+x.toFixed(1)}${score ? multiple(x) : ''}`,
      html('b', {}, format(y) + (score?.sd === undefined ? '' : ` ± ${format(score.sd)}`)),
      ...(Number.isFinite(low) && low !== high ? [`95 % interval ${format(low)} to ${format(high)}`] : []),
      ...(score?.values ?? []).map((value, i) => value === null ? null : `seed ${data.seeds[i]}: ${format(value)}`).filter(Boolean),
      ...(score?.not_learned ? [`${score.not_learned} not learned`] : [])];
  }
}

// ---- Pictures of models ----

class FigureLines extends Lines {
  constructor(picture) {
    super(picture.y_label);
    this.curves = curves(picture);
  }
  draw() { super.draw(this.curves); }
}

// A heatmap of letters, which page_data.h describes.
class FigureMap extends Heatmap {
  constructor(picture) {
    super(`${picture.y_label} by ${picture.x_label}`, (r, c) => this.select([r, c]));
    Object.assign(this, picture);
    this.letters = this.cells.map((row) => row.replace(/(\D)(\d+)/g, (_, letter, count) => letter.repeat(count)));
  }

  draw() {
    const {low, high, letters, columns, matrix} = this;
    const names = (count, cells) => range(cells).map((i) => {
      const [first, end] = [i, i + 1].map((at) => Math.floor(at * count / cells));
      return end - first > 1 ? `${first}–${end - 1}` : `${first}`;
    });
    const share = (letter) => letter === '!' ? NaN : (letter ?? '?').charCodeAt() - 63;
    this.value = (r, c) => low + share(letters[r][c]) / 62 * (high - low);
    super.draw({...this, rows: names(matrix[0], letters.length), cols: names(matrix[1], columns), square: matrix[0] === matrix[1],
      most: Math.max(high, -low), palette: low < 0 ? 'diverging' : 'sequential'});
  }

  // Round numbers of the whole matrix.
  some(names, pixels) {
    const count = this.matrix[names === this.rows ? 0 : 1];
    return ticks(0, count - 1, Math.max(2, pixels / 52), false).map((v) => [(v + .5) * names.length / count - .5, v]);
  }

  select(at) {
    this.at = at;
    this.mark();
    if (!at) return super.leave();
    const [r, c] = at;
    this.showTip(this.x(c), this.y(r), `${this.y_label} ${this.rows[r]}, ${this.x_label} ${this.cols[c]}`, short(+this.value(r, c).toPrecision(2)));
  }

  leave() { this.select(null); }
}

// Pictures that are hidden are drawn when they are chosen.
const drawn = new Map();
function drawFigures() {
  for (const [figure, plot] of drawn) if (!figure.hidden) plot.draw();
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

// One of the tables at a time.
function chooseTable(group) {
  const tables = [...group.children];
  if (tables.length < 2) return;
  const show = (chosen) => tables.forEach((table, i) => { table.hidden = i !== chosen; });
  group.before(html('div', {class: 'controls'}, chooser('table', tables.map((table) => table.dataset.table), 0, show)));
}

// Bars beside the numbers of each row, from zero, one below the other: what costs to the right, what gains to the left.
function addBars(table) {
  const rows = [...table.tBodies[0].rows];
  const values = rows.map(({cells}) => [...cells].slice(1).map((cell) => parseFloat(cell.textContent)));
  const low = Math.min(0, ...values.flat());
  const high = Math.max(0, ...values.flat());
  rows.forEach((row, r) => {
    const boxes = values[r].map((v, i) => svg('rect', {class: `p${i}`, x: Math.min(0, v) - low, width: Math.abs(v), y: i, height: 0.9}));
    row.append(html('td', {}, svg('svg', {viewBox: `0 0 ${high - low || 1} ${boxes.length}`, preserveAspectRatio: 'none', 'aria-hidden': true}, ...boxes,
      rule(-low, 0, -low, boxes.length, {stroke: 'var(--ink)', 'vector-effect': 'non-scaling-stroke'}))));
  });
  const heads = table.tHead.rows[0];
  [...heads.cells].slice(1).forEach((head, i) => head.prepend(html('i', {class: `swatch p${i}`}), ' '));
  heads.append(html('td', {}));
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
    history.replaceState(null, '', box.checked ? '#watch' : location.pathname + location.search);
  }});
  line.append(html('label', {}, box, ' load it again every 30 seconds'));
  setInterval(() => box.checked && location.reload(), 30000);
}

recall();
for (const table of all('table')) if (table.tHead && table.tBodies.length === 1) sortable(table);
all('#tables').forEach(chooseTable);
all('#causes table').forEach(addBars);
all('tr[data-row]').forEach(hideable);
for (const figure of all('figure[id]')) {
  const name = figure.id.slice('figure-'.length);
  const picture = data.pictures[name];
  const ofRows = ['main', 'training', 'by_position'].includes(name);
  const plot = ofRows ? new RowLines(name) : picture.cells ? new FigureMap(picture) : new FigureLines(picture);
  figure.prepend(...(ofRows ? [plot.controls, html('div', {class: 'curves'}, plot.element, plot.legend)] : [plot.element]));
  if (ofRows) charts.push(plot);
  else drawn.set(figure, plot);
}
all('.gallery').forEach(chooseFrom);
all('.progress').forEach(watch);
document.body.append(bar);
onChange(() => { charts.forEach((chart) => chart.draw()); drawFigures(); });
addEventListener('beforeprint', () => all('details.more').forEach((details) => { details.open = true; }));
show();
})();
