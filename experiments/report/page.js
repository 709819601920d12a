// Makes report.html react: curves that show their numbers, rows to hide, tables to sort, pictures to choose. The page holds
// everything without this script; the numbers are in the element #data, which page_data.h describes.
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
const charts = [];
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

// ---- Curves ----

// What the main curves show: the scores of a metric under a condition.
const view = {metric: 0, condition: 0};

function mainCurves() {
  const metric = data.metrics[view.metric];
  const series = data.rows.map((row) => {
    const scores = row.scores[view.metric][view.condition];
    const has = (s) => s.mean !== undefined && !s.diverged;
    const gap = scores.findIndex((s) => !has(s) && (s.failed || s.diverged));
    const what = gap >= 0 && (scores[gap].diverged ? 'diverges' : 'fails');
    return {
      name: row.label,
      note: !row.learned ? 'not learned' : what ? what + (gap > 0 ? ` past ${data.lengths[gap - 1]}` : '') : '',
      points: scores.map((s, i) => ({x: data.lengths[i], y: s.mean, low: s.low, high: s.high, score: s}))
        .filter((p) => has(p.score)),
    };
  });
  const references = view.condition > 0 ? [] : data.references.map((reference) => ({
    name: reference.label,
    points: data.lengths.map((x, i) => ({x, y: reference.scores[view.metric][i]})).filter((p) => p.y !== null),
  }));
  return {
    series, references, x_label: 'length', y_label: `${metric.name} (${metric.lower ? 'lower' : 'higher'} is better)`,
    log2_x: true, past: data.train_length || null, marks: true, x_ticks: data.lengths, fraction: metric.fraction,
  };
}

function otherCurves(name) {
  const curves = data.curves[name];
  return {...curves, references: [], series: (curves.series ?? []).map((line, i) => ({
    name: data.rows[i].label, note: '',
    points: line.x.map((x, p) => ({x, y: line.y[p], low: line.low?.[p], high: line.high?.[p]})).filter((p) => p.y !== null),
  }))};
}

class Chart {
  constructor(figure, curves) {
    this.curves = curves;
    this.log = this.past = false;
    this.hot = this.at = null;  // the name of a series; the point whose numbers are shown
    this.tip = html('div', {class: 'tip', role: 'status', hidden: true});
    this.picture = svg('svg', {tabindex: 0, role: 'application',
      onpointermove: (event) => this.nearest(event), onpointerdown: (event) => this.nearest(event),
      onpointerleave: (event) => event.pointerType === 'mouse' && this.leave(),
      onfocus: () => this.at || this.move(0, 0), onblur: () => this.leave(), onkeydown: (event) => this.key(event)});
    this.plot = html('div', {class: 'plot'}, this.picture, this.tip);
    this.legend = html('ul', {class: 'legend', 'aria-label': 'rows; press to hide or show'});
    this.controls = html('div', {class: 'controls'});
    figure.querySelector('figcaption').before(this.controls, html('div', {class: 'curves'}, this.plot, this.legend));
    for (const fallback of all(':scope > .scroll, :scope > pre, :scope > .note', figure)) fallback.remove();
    this.addControls(figure.dataset.curves === 'main');
  }

  addControls(isMain) {
    const {past, series} = this.curves();
    const choose = (change) => (i) => { change(i); for (const chart of charts) chart.draw(); };
    if (isMain && data.metrics.length > 1) {
      this.controls.append(chooser('metric', data.metrics.map((m) => m.name), 0, choose((i) => view.metric = i)));
    }
    if (isMain && data.conditions.length > 1) {
      this.controls.append(chooser('condition', data.conditions, 0, choose((i) => view.condition = i)));
    }
    this.controls.append(choice('scale', ['linear', 'log'], choose((i) => this.log = i === 1)));
    if (past && series.some((line) => line.points.some((p) => p.x > past))) {
      const names = [isMain ? 'all lengths' : 'all', 'past the training length'];
      this.controls.append(choice('range', names, choose((i) => this.past = i === 1)));
    }
    if (isMain && data.rows.length > 2) {
      const rows = data.rows.map((row) => row.label);
      this.controls.append(html('button', {onclick: () => toggle(...rows.filter((label) => !off.has(label)))}, 'hide all'));
    }
  }

  // The points that are in range and not hidden.
  visible() {
    const {series, references, past} = this.curves();
    const inRange = (p) => (!this.past || p.x > past) && (!this.log || p.y > 0);
    this.lines = series.map((line, index) => ({...line, index, points: line.points.filter(inRange)}));
    const lines = this.lines.filter((line) => !off.has(line.name) && line.points.length > 0);
    return {lines, references: references.map((line) => ({...line, points: line.points.filter(inRange)}))};
  }

  // References that are far from all lines would compress the scale.
  near(references, low, high) {
    const margin = (high - low) / 2;
    return references.filter((line) => line.points.length > 0 &&
      line.points.every((p) => p.y >= low - margin && p.y <= high + margin));
  }

  scales(lines, references, {fraction, past, x_ticks: lengths}) {
    const points = lines.flatMap((line) => line.points);
    const values = [...points, ...references.flatMap((line) => line.points)].map((p) => p.y);
    if (lines.length <= colours) for (const p of points) values.push(...[p.low, p.high].filter((v) => v > (this.log ? 0 : -Infinity)));
    const xs = lengths?.filter((x) => !this.past || x > past) ?? points.map((p) => p.x);
    let [low, high, left, right] = [Math.min(...values), Math.max(...values), Math.min(...xs), Math.max(...xs)];
    if (fraction && !this.log) [low, high] = [0, 1.02];
    else if (this.log) [low, high] = [low / (high / low) ** .05, high * (high / low) ** .05 + (low === high ? low : 0)];
    else [low, high] = [low - .05 * (high - low || 1), high + .05 * (high - low || 1)];
    return {low, high, left, right: left === right ? left * 2 + 1 : right};
  }

  draw() {
    const curves = this.curves();
    const {x_label, y_label, log2_x, past, marks, x_ticks} = curves;
    const {lines, references} = this.visible();
    const ys = lines.flatMap((line) => line.points.map((p) => p.y));
    const shown = this.near(references, Math.min(...ys), Math.max(...ys));
    this.width = this.plot.clientWidth || 700;
    const wide = this.width > 480;
    const [width, height] = [this.width, Math.round(Math.max(280, Math.min(440, this.width * .6)))];
    const box = {left: 54, right: width - 14, top: 24, bottom: height - 42};
    const {low, high, left, right} = this.scales(lines, shown, curves);
    const scale = (log, from, to, start, end) => (v) =>
      start + (end - start) * (log ? Math.log(v / from) / Math.log(to / from) : (v - from) / (to - from));
    const inset = marks ? 12 : 0;
    this.x = scale(log2_x && left > 0, left, right, box.left + inset, box.right - inset);
    this.y = scale(this.log, low, high, box.bottom, box.top);
    this.box = box;
    this.shown = lines;
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.picture.setAttribute('aria-label', `${y_label} by ${x_label}. Arrow keys: left and right for the ${x_label}, up and down for the row.`);
    const frame = lines.length === 0 ? [label(box.left, 60, 'No row to show: all are hidden, or have no number here.')]
      : [...this.trained(past, left, right), ...this.xAxis(x_label, x_ticks, log2_x, left, right, wide), ...this.yAxis(y_label, low, high)];
    this.ring = svg('circle', {r: 6.5, fill: 'none', 'stroke-width': 2, stroke: 'var(--ink)', visibility: 'hidden'});
    this.drawn = svg('g', {}, ...shown.map((line, i) => this.reference(line, i)),
      ...lines.map((line) => this.line(line, marks, lines.length <= colours)));
    this.picture.replaceChildren(...frame, this.drawn, this.ring);
    this.drawLegend(shown);
    this.highlight(this.hot);
    this.select(null);
  }

  trained(past, left, right) {
    if (!past || past > right || right === past) return [];
    const {top, bottom, right: end} = this.box;
    const x = past < left ? this.box.left : this.x(past);
    return [
      svg('rect', {x, y: top, width: end - x, height: bottom - top, fill: 'var(--soft)'}),
      rule(x, top - 6, x, bottom, {stroke: 'var(--faint)', 'stroke-dasharray': '5 4'}),
      label(x + 6, top - 8, 'past the training length →', {'font-size': 12})];
  }

  xAxis(title, fixed, log2, left, right, wide) {
    const powers = [];
    for (let v = 1; v <= right; v *= 2) if (v >= left) powers.push(v);
    let last = -Infinity;
    const marks = (fixed ?? (log2 ? powers : ticks(left, right, wide ? 8 : 4, false))).filter((v) => {
      if (v < left || v > right || this.x(v) - last < 46) return false;
      last = this.x(v);
      return true;
    });
    const text = (v) => `${v}` + (fixed && wide ? multiple(v) : '');
    const {left: start, right: end, bottom} = this.box;
    return [
      rule(start, bottom, end, bottom, {stroke: 'var(--faint)'}),
      ...marks.map((v) => label(this.x(v), bottom + 17, text(v), {class: 'tick', 'text-anchor': 'middle'})),
      label((start + end) / 2, bottom + 36, title, {'text-anchor': 'middle'})];
  }

  yAxis(title, low, high) {
    const values = ticks(low, high, 8, this.log);
    const digits = Math.max(...values.map((v) => `${+v.toPrecision(4)}`.split('.')[1]?.length ?? 0));
    const text = (v) => this.log || Math.abs(v) >= 1e5 ? `${+v.toPrecision(4)}` : v.toFixed(Math.min(digits, 4));
    const {left, right, top, bottom} = this.box;
    const fits = [title, title.replace(/ \(.*/, '')].find((name) => 6.6 * name.length < bottom - top) ?? '';
    return [
      ...values.flatMap((v) => [
        rule(left, this.y(v), right, this.y(v), {stroke: 'var(--line)'}),
        label(left - 7, this.y(v) + 4, text(v), {class: 'tick', 'text-anchor': 'end'})]),
      label(0, 0, fits, {transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'})];
  }

  path(points, of = (p) => p.y) {
    return points.map((p, i) => `${i ? 'L' : 'M'}${this.x(p.x).toFixed(1)} ${this.y(of(p)).toFixed(1)}`).join('');
  }

  line({name, index, points}, marks, withBand) {
    const {colour, dash, fill} = style(index);
    const group = svg('g', {class: 'series', 'data-name': name});
    const banded = points.filter((p) => p.low !== undefined && (!this.log || p.low > 0));
    const inside = (v) => Math.min(Math.max(this.y(v), this.box.top), this.box.bottom).toFixed(1);
    if (withBand && banded.length > 1) {
      const edge = [...banded.map((p) => [p.x, p.high]), ...banded.reverse().map((p) => [p.x, p.low])];
      group.append(svg('polygon', {class: 'band', fill: colour, points: edge.map(([x, v]) => `${this.x(x).toFixed(1)},${inside(v)}`).join(' ')}));
    }
    group.append(svg('path', {class: 'line', d: this.path(points), stroke: colour, 'stroke-dasharray': dash}));
    for (const p of marks ? points : []) {
      group.append(svg('circle', {cx: this.x(p.x), cy: this.y(p.y), r: 3.6, stroke: colour, 'stroke-width': 1.6, fill}));
    }
    return group;
  }

  reference({points}, i) {
    return svg('path', {class: 'line', d: this.path(points), stroke: 'var(--faint)', style: 'stroke-width: 1.4',
      'stroke-dasharray': dashes[1 + i % 3]});
  }

  drawLegend(references) {
    const sample = ({colour, dash, fill}) => svg('svg', {viewBox: '0 0 26 10', 'aria-hidden': true},
      rule(0, 5, 26, 5, {stroke: colour, 'stroke-width': 2.2, 'stroke-dasharray': dash}),
      ...(fill ? [svg('circle', {cx: 13, cy: 5, r: 3.4, stroke: colour, 'stroke-width': 1.6, fill})] : []));
    const entries = [...this.lines, ...references].map(({name, note}) => name + note).join();
    if (this.entries === entries) return;  // it keeps the focus of the keyboard
    this.entries = entries;
    this.legend.replaceChildren(...this.lines.map(({name, index, note}) =>
      html('li', {'data-of': name, onpointerenter: () => point(name), onpointerleave: () => point(null)},
        html('button', {'data-toggle': name, 'aria-pressed': !off.has(name), onclick: () => toggle(name)},
          sample(style(index)), html('span', {}, name, ...(note ? [html('small', {}, ` (${note})`)] : []))))),
      ...references.map(({name}, i) =>
        html('li', {class: 'reference'}, sample({colour: 'var(--faint)', dash: dashes[1 + i % 3]}), name)));
  }

  highlight(name) {
    this.hot = name;
    const line = this.shown?.some((one) => one.name === name);
    this.drawn?.classList.toggle('dim', Boolean(line));
    for (const group of all('.series', this.picture)) group.classList.toggle('hot', group.dataset.name === name);
  }

  // ---- The numbers of one point ----

  nearest(event) {
    const area = this.picture.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    let [best, least] = [null, Infinity];
    for (const line of this.shown) {
      for (const p of line.points) {
        const distance = Math.hypot(this.x(p.x) - x, this.y(p.y) - y);
        if (distance < least) [best, least] = [{line, p}, distance];
      }
    }
    this.select(best);
  }

  leave() {
    this.select(null);
    point(null);
  }

  select(at) {
    this.at = at;
    this.tip.hidden = !at;
    this.ring.setAttribute('visibility', at ? 'visible' : 'hidden');
    if (!at) return;
    if (this.hot !== at.line.name) point(at.line.name);
    const [x, y] = [this.x(at.p.x), this.y(at.p.y)];
    this.ring.setAttribute('cx', x);
    this.ring.setAttribute('cy', y);
    this.tip.replaceChildren(...this.numbers(at));
    const beside = x < this.width / 2 ? x + 16 : x - 16 - this.tip.offsetWidth;
    this.tip.style.left = Math.max(0, Math.min(beside, this.width - this.tip.offsetWidth)) + 'px';
    this.tip.style.top = Math.max(0, y - this.tip.offsetHeight / 2) + 'px';
  }

  numbers({line, p}) {
    const {x_label} = this.curves();
    const lines = [html('b', {}, line.name), html('span', {}, `${x_label} ${+p.x.toFixed(1)}${p.score ? multiple(p.x) : ''}`)];
    lines.push(html('b', {}, format(p.y) + (p.score?.sd === undefined ? '' : ` ± ${format(p.score.sd)}`)));
    if (p.low !== undefined && p.low !== p.high) lines.push(html('span', {}, `95 % interval ${format(p.low)} to ${format(p.high)}`));
    p.score?.values?.forEach((value, i) =>
      value !== null && lines.push(html('span', {class: 'seed'}, `seed ${data.seeds[i]}: ${format(value)}`)));
    if (p.score?.not_learned) lines.push(html('span', {}, `${p.score.not_learned} not learned`));
    return lines;
  }

  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    if (event.key === 'Escape') this.leave();
    if (!steps[event.key]) return;
    event.preventDefault();
    this.move(...steps[event.key]);
  }

  // To the next point of the line, or to the next line above or below at this x.
  move(along, up) {
    if (this.shown.length === 0) return;
    const {line, p} = this.at ?? {line: this.shown[0], p: this.shown[0].points.at(-1)};
    if (up === 0) {
      const i = line.points.indexOf(p) + along;
      return this.select({line, p: line.points[Math.max(0, Math.min(i, line.points.length - 1))]});
    }
    const beside = (one) => one.points.reduce((a, b) => Math.abs(a.x - p.x) <= Math.abs(b.x - p.x) ? a : b);
    const order = this.shown.map((one) => ({line: one, p: beside(one)})).sort((a, b) => a.p.y - b.p.y);
    const next = order[order.findIndex((one) => one.line === line) + up];
    if (next) this.select(next);
  }
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

// A click on a row hides it; with the keyboard, its name does.
function hideable(row) {
  const label = row.dataset.row;
  row.addEventListener('click', () => getSelection().isCollapsed && toggle(label));
  row.addEventListener('pointerenter', () => point(label));
  row.addEventListener('pointerleave', () => point(null));
  const name = row.cells[0];
  name.replaceChildren(html('button', {'data-toggle': label, 'aria-pressed': true, title: 'hide this row'}, ...name.childNodes));
}

// ---- Pictures ----

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
all('tr[data-row]').forEach(hideable);
for (const figure of all('figure[data-curves]')) {
  const name = figure.dataset.curves;
  if (name === 'main' ? data.rows.length > 0 : data.curves[name]?.series) {
    charts.push(new Chart(figure, name === 'main' ? mainCurves : () => otherCurves(name)));
  }
}
all('.gallery').forEach(chooseFrom);
all('.progress').forEach(watch);
document.body.append(bar);
addEventListener('resize', () => charts.forEach((chart) => chart.plot.clientWidth !== chart.width && chart.draw()));
addEventListener('beforeprint', () => all('details.more').forEach((details) => { details.open = true; }));
show();
})();
