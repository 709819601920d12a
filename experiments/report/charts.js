// The pictures of report.html and explorer.html: lines, heatmaps and bars, drawn from numbers. And what both pages need besides:
// elements, choosers and round numbers.
'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const range = (count) => Array.from({length: count}, (_, i) => i);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const short = (value) => !Number.isFinite(value) ? '–' : Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4)
  ? value.toExponential(1) : `${+value.toPrecision(4)}`.replace('-', '−');

// Of a line, with what else is known of each: low and high of its band, values of single seeds. Those without a number are left out.
const points = (x, y, more = {}) => x.map((at, i) => ({i, x: at, y: y[i],
  ...Object.fromEntries(Object.entries(more).map(([name, values]) => [name, values[i]]))})).filter((p) => Number.isFinite(p.y));

// ---- Elements ----

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
      for (const f of factors) if (f * 10 ** p >= low && f * 10 ** p <= high) found.push(+(f * 10 ** p).toPrecision(12));
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

// ---- Colours ----

const colours = 7;
const dashes = ['', '7 4', '2 3', '8 3 2 3', '14 4', '1 5', '12 3 2 3 2 3'];

// Of the line with this number: after seven lines the colours repeat with other dashes and hollow marks.
function style(index) {
  const stroke = `var(--c${index % colours})`;
  return {stroke, dash: dashes[Math.floor(index / colours) % dashes.length], fill: index < colours ? stroke : 'var(--page)'};
}

const darkness = matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const theme = () => darkness.matches && !printing ? 'dark' : 'light';

// What changes the size or the colours of pictures.
function onChange(draw) {
  addEventListener('resize', draw);
  darkness.addEventListener('change', draw);
  for (const [event, on] of [['beforeprint', true], ['afterprint', false]]) addEventListener(event, () => { printing = on; draw(); });
}

// diverging: from -1 over 0 to 1. sequential: from 0 to 1.
const palettes = {
  light: {
    diverging: [[33, 102, 172], [103, 169, 207], [209, 229, 240], [255, 255, 255], [253, 219, 199], [239, 138, 98], [178, 24, 43]],
    sequential: [[255, 255, 255], [222, 235, 247], [158, 202, 225], [66, 146, 198], [8, 81, 156], [8, 48, 107]],
    unseen: [233, 233, 229],
  },
  dark: {
    diverging: [[125, 190, 255], [62, 126, 196], [38, 66, 102], [26, 29, 34], [104, 52, 40], [196, 92, 66], [255, 160, 130]],
    sequential: [[26, 29, 34], [32, 52, 82], [44, 90, 146], [80, 148, 214], [150, 202, 255], [226, 241, 255]],
    unseen: [47, 51, 59],
  },
};
function colour(share, palette) {
  const stops = palettes[theme()][palette];
  if (Number.isNaN(share)) return palettes[theme()].unseen;
  const at = (palette === 'diverging' ? (clamp(share, -1, 1) + 1) / 2 : clamp(share, 0, 1)) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((low, c) => low + (at - i) * (stops[i + 1][c] - low));
}

// A picture of rows x cols shares, as an address.
function image(rows, cols, palette, share) {
  const canvas = html('canvas', {width: cols, height: rows});
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(cols, rows);
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < cols; ++c) pixels.data.set([...colour(share(r, c), palette), 255], 4 * (r * cols + c));
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

// ---- Pictures ----

// A picture with axes that tells what is under the mouse or the finger, or where the arrow keys moved. Those that extend it
// have draw(view), over(x, y, pressed), which gets pixels, move(along, down), mark(), which shows the place `at`, and tell(at):
// where its tip is, the title and the lines.
class Plot {
  constructor(name) {
    this.tip = html('div', {class: 'tip', role: 'status', hidden: true});
    this.picture = svg('svg', {tabindex: 0, role: 'application', 'aria-label': name,
      onpointermove: (event) => this.pointer(event, false), onpointerdown: (event) => this.pointer(event, true),
      onpointerleave: (event) => event.pointerType === 'mouse' && this.leave(),
      onblur: () => this.leave(), onkeydown: (event) => this.key(event)});
    this.element = html('div', {class: 'plot'}, this.picture, this.tip);
  }

  // `space` is that of the labels on each side.
  frame(height, space) {
    this.width = this.element.clientWidth || 640;
    this.height = Math.round(height(this.width));
    this.box = {left: space.left, right: this.width - space.right, top: space.top, bottom: this.height - space.bottom};
    this.picture.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
  }

  // The names of the axes, and what stands on them: [pixel, text].
  axes(x_label, y_label, xs, ys) {
    const {left, right, top, bottom} = this.box;
    const fits = [y_label, y_label.replace(/ \(.*/, '')].find((name) => 6.6 * name.length < bottom - top) ?? '';
    return [
      ...xs.map(([x, text]) => label(x, bottom + 17, `${text}`.replace('-', '−'), {class: 'tick', 'text-anchor': 'middle'})),
      ...ys.map(([y, text]) => label(left - 6, y + 4, `${text}`.replace('-', '−'), {class: 'tick', 'text-anchor': 'end'})),
      label((left + right) / 2, bottom + 35, x_label, {'text-anchor': 'middle'}),
      label(0, 0, fits, {transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'})];
  }

  pointer(event, pressed) {
    const area = this.picture.getBoundingClientRect();
    this.over(event.clientX - area.left, event.clientY - area.top, pressed);
  }

  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.key === 'Escape') this.leave();
    if (!steps[event.key]) return;
    event.preventDefault();
    this.move(...steps[event.key].map((step) => step * (event.shiftKey ? 10 : 1)));
  }

  // null: nothing.
  select(at) {
    this.at = at;
    this.mark();
    this.tip.hidden = !at;
    if (at) this.showTip(...this.tell(at));
  }

  leave() { this.select(null); }

  showTip(x, y, title, ...lines) {
    this.tip.replaceChildren(html('b', {}, title), ...lines.map((line) => html('span', {}, ...[line].flat())));
    const beside = x < this.width / 2 ? x + 16 : x - 16 - this.tip.offsetWidth;
    this.tip.style.left = clamp(beside, 0, Math.max(0, this.width - this.tip.offsetWidth)) + 'px';
    this.tip.style.top = clamp(y - this.tip.offsetHeight / 2, 0, this.height) + 'px';
  }
}

// Lines with bands. `choose(i)` is called when the i-th point is pressed, or moved to with the keyboard.
class Lines extends Plot {
  constructor(name, choose) {
    super(name);
    this.choose = choose;
    this.legend = html('ul', {class: 'keys'});
    this.fewest = 2;  // lines that have a legend
    this.element.append(this.legend);
    this.picture.addEventListener('focus', () => this.at || this.move(0, 0));
  }

  // series: name, index (of its colour), points (i, x, y, low, high, values) and off, if it is hidden; references: grey lines
  // behind them; low, high, log: of the y axis; ticks and name_x: numbers of the x axis; past: from where it is shaded; guides:
  // level lines (y, text); chosen: the i of the points that are marked.
  draw(view) {
    const {series, references = [], x_label, y_label, log, past, dots, guides = [], shape = [.46, 200, 310], right: margin = 14} = view;
    this.view = view;
    this.lines = series.filter((line) => !line.off && line.points.length > 0);
    this.frame((width) => clamp(width * shape[0], shape[1], shape[2]), {left: log ? 66 : 54, right: margin, top: past ? 24 : 10, bottom: 42});
    this.picture.setAttribute('aria-label', `${y_label} by ${x_label}. Arrow keys: left and right for the ${x_label}, up and down for the line.`);
    const {left, right, top, bottom} = this.box;
    const {from, to, low, high} = this.ranges(view);
    const scale = (logarithmic, a, b, start, end) => (v) =>
      start + (end - start) * (a === b ? .5 : logarithmic ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a));
    const inset = dots ? 10 : 0;
    this.x = scale(view.log2_x && from > 0, from, to, left + inset, right - inset);
    this.y = scale(log, low, high, bottom, top);
    const level = (y, attributes) => rule(left, this.y(y), right, this.y(y), attributes);
    const heights = ticks(low, high, 7, log);
    const frame = () => [
      ...this.shaded(past, from, to), ...heights.map((y) => level(y, {stroke: 'var(--line)'})),
      level(low < 0 && high > 0 && !log ? 0 : low, {stroke: 'var(--faint)'}),
      ...this.axes(x_label, y_label, this.numbers(from, to), heights.map((y) => [this.y(y), y])),
      ...guides.filter(({y}) => y > low && y < high).flatMap(({y, text}) =>
        [level(y, {class: 'guide'}), label(left + 5, this.y(y) - 5, text, {class: 'tick'})])];
    const empty = [label(left, 60, 'No row to show: all are hidden, or have no number here.')];
    this.picture.replaceChildren(...this.lines.length === 0 ? empty : [...frame(),
      ...references.map((line, i) => svg('path', {class: 'reference', d: this.path(line.points), 'stroke-dasharray': dashes[1 + i % (dashes.length - 1)]})),
      ...this.lines.map((line) => this.line(line)), ...this.cursor()]);
    this.drawLegend(series, references);
    const line = this.lines.find((one) => one.name === this.at?.line.name);
    const p = line?.points.find((one) => one.x === this.at.p.x);
    this.select(p ? {line, p} : null);
  }

  get chosen() { return this.lines.flatMap((line) => line.points).find(({i}) => i !== undefined && i === this.view.chosen); }
  cursor() {
    const p = this.chosen;
    return p ? [rule(this.x(p.x), this.box.top, this.x(p.x), this.box.bottom, {class: 'chosen'}),
      svg('circle', {class: 'dot', cx: this.x(p.x), cy: this.y(p.y), r: 5})] : [];
  }

  get banded() { return this.lines.length <= colours; }

  ranges({references = [], low, high, log, ticks: named}) {
    const points = this.lines.flatMap((line) => line.points);
    const values = [...points, ...references.flatMap((line) => line.points)].flatMap((p) => this.banded ? [p.y, p.low, p.high] : [p.y])
      .filter((v) => Number.isFinite(v) && (!log || v > 0));
    const xs = named ?? points.map((p) => p.x);
    let [least, most] = [low ?? Math.min(...values), high ?? Math.max(...values)];
    if (most - least < 1e-9 * Math.max(1, Math.abs(most))) [least, most] = log ? [least / 2, most * 2] : [Math.min(0, least - .5), Math.max(0, most + .5)];
    const room = log ? (most / least) ** .05 : .05 * (most - least);
    const ends = log ? [least / room, most * room] : [low ?? least - room, high ?? most + room];
    return {from: Math.min(...xs), to: Math.max(...xs), low: ends[0], high: ends[1]};
  }

  // On the x axis: places and texts, of which none covers another.
  numbers(from, to) {
    const wide = this.width > 480;
    const powers = range(31).map((i) => 2 ** i).filter((v) => v >= from && v <= to);
    const all = this.view.ticks ?? (this.view.log2_x ? powers : ticks(from, to, wide ? 8 : 5, false));
    let end = -Infinity;  // of the text before
    return all.map((v) => [this.x(v), `${this.view.name_x?.(v, wide) ?? v}`]).filter(([x, text]) => {
      const half = Math.max(23, 3.3 * text.length + 4);
      if (x - half < end) return false;
      end = x + half;
      return true;
    });
  }

  shaded(past, from, to) {
    if (!past || past >= to) return [];
    const {left, right, top, bottom} = this.box;
    const x = past < from ? left : this.x(past);
    return [
      svg('rect', {x, y: top, width: right - x, height: bottom - top, fill: 'var(--soft)'}), rule(x, top - 6, x, bottom, {class: 'guide'}),
      label(x + 6, top - 8, 'past the training length →', {'font-size': 12})];
  }

  path(points) {
    return points.map((p, i) => `${i ? 'L' : 'M'}${this.x(p.x).toFixed(1)} ${clamp(this.y(p.y), -1e4, 1e4).toFixed(1)}`).join('');
  }

  line({name, index, points}) {
    const {stroke, dash, fill} = style(index);
    const {dots, log} = this.view;
    const band = this.banded ? points.filter((p) => Number.isFinite(p.low) && (!log || p.low > 0)) : [];
    const corner = (x, v) => `${this.x(x).toFixed(1)},${clamp(this.y(v), this.box.top, this.box.bottom).toFixed(1)}`;
    const edges = [...band.map((p) => corner(p.x, p.high)), ...band.map((p) => corner(p.x, p.low)).reverse()];
    return svg('g', {class: 'series', 'data-name': name},
      ...(band.length > 1 ? [svg('polygon', {class: 'band', fill: stroke, points: edges.join(' ')})] : []),
      svg('path', {class: 'line', d: this.path(points), stroke, 'stroke-dasharray': dash}),
      ...(dots ? points.map((p) => svg('circle', {cx: this.x(p.x), cy: this.y(p.y), r: dots, stroke, 'stroke-width': 1.6, fill})) : []),
      // Under three seeds there is no band.
      ...points.flatMap((p) => (p.values?.length < 3 ? p.values : []).filter(Number.isFinite)
        .map((y) => svg('circle', {cx: this.x(p.x), cy: this.y(y), r: 1.8, fill: stroke}))));
  }

  // It is left alone as long as it names the same, because it may have the focus of the keyboard.
  drawLegend(series, references) {
    const names = [...series, ...references].map(({name, note}) => name + note);
    if (this.names === names.join()) return;
    this.names = names.join();
    const grey = (i) => ({stroke: 'var(--faint)', dash: dashes[1 + i % (dashes.length - 1)]});
    const sample = ({stroke, dash, fill}) => svg('svg', {viewBox: '0 0 26 10', 'aria-hidden': true},
      rule(0, 5, 26, 5, {stroke, 'stroke-width': 2.2, 'stroke-dasharray': dash}),
      ...(fill && this.view.dots ? [svg('circle', {cx: 13, cy: 5, r: 3.4, stroke, 'stroke-width': 1.6, fill})] : []));
    this.legend.replaceChildren(...names.length < this.fewest ? [] : [...series.map((line) => this.entry(line, sample(style(line.index)))),
      ...references.map(({name}, i) => html('li', {class: 'reference'}, sample(grey(i)), name))]);
  }
  entry({name}, sample) { return html('li', {}, sample, name); }

  // ---- The numbers at a point ----

  // How far a point is from the mouse; all lines have numbers at the same x.
  far(across, down) { return Math.abs(across) + .001 * Math.abs(down); }

  over(x, y, pressed) {
    let [best, least] = [null, Infinity];
    for (const line of this.lines) {
      for (const p of line.points) {
        const far = this.far(this.x(p.x) - x, this.y(p.y) - y);
        if (far < least) [best, least] = [{line, p}, far];
      }
    }
    this.select(best);
    if (pressed && best) this.choose?.(best.p.i);
  }

  mark() {
    this.ring?.remove();
    if (!this.at) return;
    this.ring = svg('circle', {class: 'ring', cx: this.x(this.at.p.x), cy: this.y(this.at.p.y), r: 6.5});
    this.picture.append(this.ring);
  }

  tell({line, p}) { return [this.x(p.x), this.y(p.y), ...this.words(line, p)]; }

  words(_, p) {
    const most = 8;
    const here = this.lines.map((line) => ({line, y: line.points.find((one) => one.x === p.x)?.y})).filter(({y}) => y !== undefined);
    const lines = here.slice(0, most).map(({line, y}) => [html('i', {class: 'swatch', style: `background: ${style(line.index).stroke}`}),
      ` ${this.lines.length > 1 ? line.name + ' ' : ''}${short(y)}`]);
    return [`${this.view.x_label} ${short(p.x)}`, ...lines, ...(here.length > most ? ['…'] : [])];
  }

  // To the next point of the line, or to the next line at this x.
  move(along, down) {
    if (this.lines.length === 0) return;
    const [first] = this.lines;
    const {line, p} = this.at ?? {line: first, p: this.chosen ?? first.points.at(-1)};
    const beside = (one) => one.points.reduce((a, b) => Math.abs(a.x - p.x) <= Math.abs(b.x - p.x) ? a : b);
    const order = this.lines.map((one) => ({line: one, p: beside(one)})).sort((a, b) => b.p.y - a.p.y);
    const to = order[order.findIndex((one) => one.line === line) + Math.sign(down)];
    this.select(down !== 0 ? to ?? {line, p} : {line, p: line.points[clamp(line.points.indexOf(p) + along, 0, line.points.length - 1)]});
    if (along !== 0) this.choose?.(this.at.p.i);
  }
}

// Values by row and column. `point(row, column)` is called for the cell under the cursor; without it, a tip tells its value.
class Heatmap extends Plot {
  constructor(name, point) {
    super(name + '. Arrow keys move the cursor.');
    this.point = point ?? ((...at) => this.select(at));
    if (point) this.leave = () => {};  // the cursor stays
  }

  // rows and cols hold the names of cells, `size` how many rows and columns the axes count, if cells are means of several;
  // `most` has the last colour; `version` changes with the values.
  draw({rows, cols, size, value, most, x_label, y_label, at, version, square = false, palette = 'diverging'}) {
    Object.assign(this, {rows, cols, value, x_label, y_label, at, size: size ?? [rows.length, cols.length]});
    const space = {left: 54, right: 52, top: 8, bottom: 42};
    const inner = (width) => width - space.left - space.right;
    const aspect = square ? 1 : clamp(rows.length / cols.length, .3, .62);
    this.frame((width) => Math.min(inner(width) * aspect, 460) + space.top + space.bottom, space);
    if (square) this.box.right = this.box.left + Math.min(inner(this.width), this.box.bottom - this.box.top);
    const now = [version, this.width, theme()].join();
    if (this.drawn !== now) this.paint(most || 1, palette);
    this.drawn = now;
    this.mark();
  }

  paint(most, palette) {
    const {value, box: {left, right, top, bottom}} = this;
    const [rows, cols] = [this.rows.length, this.cols.length];
    const any = (holds) => range(rows).some((r) => range(cols).some((c) => holds(value(r, c))));
    const [low, high] = [any((v) => v < -1e-9) ? -1 : 0, any((v) => v > 1e-9) ? 1 : 0];  // ends of the bar
    const bar = right + 12;
    const framed = (x, width, href) => [
      svg('image', {class: 'map', x, y: top, width, height: bottom - top, preserveAspectRatio: 'none', href}),
      svg('rect', {x, y: top, width, height: bottom - top, fill: 'none', stroke: 'var(--line)'})];
    this.cross = svg('g', {});
    this.picture.replaceChildren(
      ...framed(left, right - left, image(rows, cols, palette, (r, c) => value(r, c) / most)),
      ...this.axes(this.x_label, this.y_label, this.some(this.cols, this.size[1], right - left).map(([c, text]) => [this.x(c), text]),
        this.some(this.rows, this.size[0], 1.6 * (bottom - top)).map(([r, text]) => [this.y(r), text])),
      ...framed(bar, 9, image(64, 1, palette, (r) => high - r / 63 * (high - low))),
      ...[...new Set([low, 0, high])].map((v) => label(bar + 12,
        clamp(top + (high - v) / (high - low || 1) * (bottom - top) + 4, top + 9, bottom), short(+(v * most).toPrecision(2)), {class: 'tick'})),
      this.cross);
  }

  // The rows or columns that are named on an axis of this many pixels: index of the cell and name.
  some(names, count, pixels) {
    const steps = ticks(0, Math.max(count - 1, 1), Math.max(2, Math.floor(pixels / 52)), false).map(Math.round);
    return [...new Set(steps)].filter((i) => i < count).map((i) => [(i + .5) * names.length / count - .5, count === names.length ? names[i] : i]);
  }

  x(c) { return this.box.left + (c + .5) / this.cols.length * (this.box.right - this.box.left); }
  y(r) { return this.box.top + (r + .5) / this.rows.length * (this.box.bottom - this.box.top); }

  // Lines through the cell under the cursor.
  mark() {
    if (!this.at) return this.cross.replaceChildren();
    const [r, c] = this.at;
    const {left, right, top, bottom} = this.box;
    const [w, h] = [(right - left) / this.cols.length, (bottom - top) / this.rows.length];
    const [x, y] = [this.x(c), this.y(r)];
    const lines = () => [
      ...[[left, y, x - w / 2, y], [x + w / 2, y, right, y], [x, top, x, y - h / 2], [x, y + h / 2, x, bottom]]
        .map((ends) => rule(...ends, {class: 'cross'})),
      svg('rect', {x: x - w / 2 - 1, y: y - h / 2 - 1, width: w + 2, height: h + 2, class: 'cross'})];
    this.cross.replaceChildren(svg('g', {class: 'halo'}, ...lines()), ...lines());
  }

  over(x, y) {
    const {left, right, top, bottom} = this.box;
    if (x < left || x > right || y < top || y > bottom) return;
    this.move(Math.floor((x - left) / (right - left) * this.cols.length), Math.floor((y - top) / (bottom - top) * this.rows.length), [0, 0]);
  }

  tell([r, c]) {
    return [this.x(c), this.y(r), `${this.y_label} ${this.rows[r]}, ${this.x_label} ${this.cols[c]}`, short(+this.value(r, c).toPrecision(2))];
  }

  move(along, down, [r, c] = this.at ?? [0, 0]) {
    this.point(clamp(r + down, 0, this.rows.length - 1), clamp(c + along, 0, this.cols.length - 1));
  }
}
