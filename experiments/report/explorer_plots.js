// The pictures of explorer.html: heatmaps with a cursor, curves that show their numbers, clocks; and sliders.
'use strict';
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const range = (count) => Array.from({length: count}, (_, i) => i);
const short = (value) => !Number.isFinite(value) ? '–' : Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4)
  ? value.toExponential(1) : `${+value.toPrecision(4)}`.replace('-', '−');

// ---- Colours ----

const darkness = matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const isDark = () => darkness.matches && !printing;

// From the most negative value over zero to the most positive one.
const palettes = {
  light: [[33, 102, 172], [103, 169, 207], [209, 229, 240], [255, 255, 255], [253, 219, 199], [239, 138, 98], [178, 24, 43]],
  dark: [[125, 190, 255], [62, 126, 196], [38, 66, 102], [26, 29, 34], [104, 52, 40], [196, 92, 66], [255, 160, 130]],
};
const unseen = {light: [233, 233, 229, 255], dark: [47, 51, 59, 255]};
function colour(share) {
  const theme = isDark() ? 'dark' : 'light';
  const stops = palettes[theme];
  if (Number.isNaN(share)) return unseen[theme];
  const at = (clamp(share, -1, 1) + 1) / 2 * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return [...stops[i].map((low, c) => low + (at - i) * (stops[i + 1][c] - low)), 255];
}

// A picture of rows x cols values from -1 to 1, as an address.
function image(rows, cols, share) {
  const canvas = html('canvas', {width: cols, height: rows});
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(cols, rows);
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < cols; ++c) pixels.data.set(colour(share(r, c)), 4 * (r * cols + c));
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

// ---- Pictures with axes ----

class Plot {
  constructor(name) {
    this.tip = html('div', {class: 'tip', role: 'status', hidden: true});
    this.picture = svg('svg', {tabindex: 0, role: 'application', 'aria-label': name,
      onpointermove: (event) => this.pointer(event, false), onpointerdown: (event) => this.pointer(event, true),
      onpointerleave: () => this.leave(), onblur: () => this.leave(), onkeydown: (event) => this.key(event)});
    this.element = html('div', {class: 'plot'}, this.picture, this.tip);
  }

  frame(height, box) {
    this.width = this.element.clientWidth || 640;
    this.height = height;
    this.box = {left: box.left, right: this.width - box.right, top: box.top, bottom: height - box.bottom};
    this.picture.setAttribute('viewBox', `0 0 ${this.width} ${height}`);
  }

  pointer(event, pressed) {
    const area = this.picture.getBoundingClientRect();
    const scale = this.width / area.width;
    this.over((event.clientX - area.left) * scale, (event.clientY - area.top) * scale, pressed);
  }

  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.key === 'Escape') this.leave();
    if (!steps[event.key]) return;
    event.preventDefault();
    this.move(...steps[event.key].map((step) => step * (event.shiftKey ? 10 : 1)));
  }

  leave() { this.tip.hidden = true; }

  showTip(x, y, ...lines) {
    this.tip.replaceChildren(...lines);
    this.tip.hidden = false;
    const beside = x < this.width / 2 ? x + 14 : x - 14 - this.tip.offsetWidth;
    this.tip.style.left = clamp(beside, 0, Math.max(0, this.width - this.tip.offsetWidth)) + 'px';
    this.tip.style.top = clamp(y - this.tip.offsetHeight / 2, 0, this.height) + 'px';
  }
}

// Values by row and column. `point(row, column)` is called for the cell under the cursor.
class Heatmap extends Plot {
  constructor(name, point) {
    super(name + '. Arrow keys move the cursor.');
    this.point = point;
  }

  // rows and cols hold the numbers on the axes; `version` changes with the values.
  draw({rows, cols, value, most, x_label, y_label, at, version, square = false}) {
    Object.assign(this, {rows, cols, at});
    const width = this.element.clientWidth || 640;
    const space = {left: 54, right: 52, top: 8, bottom: 40};
    const inner = width - space.left - space.right;
    const aspect = square ? 1 : clamp(rows.length / cols.length, .3, .62);
    this.frame(Math.round(Math.min(inner * aspect, 460)) + space.top + space.bottom, space);
    if (square) this.box.right = this.box.left + Math.min(inner, this.box.bottom - this.box.top);
    const now = [version, width, isDark()].join();
    if (this.drawn !== now) this.paint(value, most || 1, x_label, y_label);
    this.drawn = now;
    this.mark();
  }

  paint(value, most, x_label, y_label) {
    const {left, right, top, bottom} = this.box;
    const [rows, cols] = [this.rows.length, this.cols.length];
    const any = (holds) => range(rows).some((r) => range(cols).some((c) => holds(value(r, c))));
    const [low, high] = [any((v) => v < -1e-9) ? -1 : 0, any((v) => v > 1e-9) ? 1 : 0];  // ends of the bar
    const bar = right + 12;
    this.cross = svg('g', {});
    this.picture.replaceChildren(
      svg('image', {class: 'map', x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: 'none',
        href: image(rows, cols, (r, c) => value(r, c) / most)}),
      svg('rect', {x: left, y: top, width: right - left, height: bottom - top, fill: 'none', stroke: 'var(--line)'}),
      ...this.axis(this.cols, right - left).map((c) => label(this.x(c), bottom + 16, `${this.cols[c]}`, {class: 'tick', 'text-anchor': 'middle'})),
      ...this.axis(this.rows, 1.6 * (bottom - top)).map((r) => label(left - 6, this.y(r) + 4, `${this.rows[r]}`, {class: 'tick', 'text-anchor': 'end'})),
      label((left + right) / 2, bottom + 34, x_label, {'text-anchor': 'middle'}),
      label(0, 0, y_label, {transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}),
      svg('image', {x: bar, y: top, width: 9, height: bottom - top, preserveAspectRatio: 'none', href: image(64, 1, (r) => high - r / 63 * (high - low))}),
      svg('rect', {x: bar, y: top, width: 9, height: bottom - top, fill: 'none', stroke: 'var(--line)'}),
      ...[low, 0, high].filter((v, i, all) => all.indexOf(v) === i).map((v) => label(bar + 12,
        clamp(top + (high - v) / (high - low || 1) * (bottom - top) + 4, top + 9, bottom), short(+(v * most).toPrecision(2)), {class: 'tick'})),
      this.cross);
  }

  // Indices of the rows or columns that are named on an axis of this many pixels.
  axis(numbers, pixels) {
    const step = ticks(0, Math.max(numbers.length - 1, 1), Math.max(2, Math.floor(pixels / 52)), false).map(Math.round);
    return [...new Set(step)].filter((i) => i < numbers.length);
  }

  x(c) { return this.box.left + (c + .5) / this.cols.length * (this.box.right - this.box.left); }
  y(r) { return this.box.top + (r + .5) / this.rows.length * (this.box.bottom - this.box.top); }

  // Lines through the cell under the cursor.
  mark() {
    if (!this.at) return this.cross.replaceChildren();
    const [r, c] = this.at;
    const {left, right, top, bottom} = this.box;
    const [w, h] = [(right - left) / this.cols.length, (bottom - top) / this.rows.length];
    const lines = () => [
      rule(left, this.y(r), this.x(c) - w / 2, this.y(r), {class: 'cross'}), rule(this.x(c) + w / 2, this.y(r), right, this.y(r), {class: 'cross'}),
      rule(this.x(c), top, this.x(c), this.y(r) - h / 2, {class: 'cross'}), rule(this.x(c), this.y(r) + h / 2, this.x(c), bottom, {class: 'cross'}),
      svg('rect', {x: this.x(c) - w / 2 - 1, y: this.y(r) - h / 2 - 1, width: w + 2, height: h + 2, class: 'cross'})];
    this.cross.replaceChildren(svg('g', {class: 'halo'}, ...lines()), ...lines());
  }

  over(x, y) {
    const {left, right, top, bottom} = this.box;
    if (x < left || x > right || y < top || y > bottom) return;
    this.point(clamp(Math.floor((y - top) / (bottom - top) * this.rows.length), 0, this.rows.length - 1),
      clamp(Math.floor((x - left) / (right - left) * this.cols.length), 0, this.cols.length - 1));
  }

  move(along, down) {
    const [r, c] = this.at ?? [0, 0];
    this.point(clamp(r + down, 0, this.rows.length - 1), clamp(c + along, 0, this.cols.length - 1));
  }
}

// Lines over a common x. `choose(i)` is called when the i-th x is pressed, or moved to with the keyboard.
class Curves extends Plot {
  constructor(name, choose) {
    super(name + '. Arrow keys: left and right.');
    this.choose = choose;
    this.keys = html('ul', {class: 'keys'});
    this.element.append(this.keys);
  }

  // series: name, y for each x, and colour (index); at: the index of the x that is chosen.
  draw({x, series, x_label, y_label, at = null, low, high, log = false, dots = false, tall = false, right: margin = 12, marks = []}) {
    Object.assign(this, {xs: x, series, at, x_label});
    const width = this.element.clientWidth || 640;
    this.frame(Math.round(tall ? clamp(width * .8, 200, 420) : clamp(width * .46, 200, 310)), {left: log ? 66 : 54, right: margin, top: 10, bottom: 40});
    const values = series.flatMap((line) => line.y).filter(Number.isFinite);
    let [least, most] = [low ?? Math.min(...values), high ?? Math.max(...values)];
    if (most - least < 1e-9 * Math.max(1, Math.abs(most))) [least, most] = [Math.min(0, least - .5), Math.max(0, most + .5)];
    const room = log ? 0 : .05 * (most - least);
    [least, most] = log ? [least / 1.3, most * 1.3] : [low ?? least - room, high ?? most + room];
    const {left, right, top, bottom} = this.box;
    const inset = dots ? 8 : 0;
    const [from, to] = [Math.min(...x), Math.max(...x)];
    this.x = (v) => left + inset + (right - left - 2 * inset) * (to === from ? .5 : (v - from) / (to - from));
    this.y = (v) => bottom - (bottom - top) * (log ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least));
    const names = ticks(from, to, width > 480 ? 8 : 5, false);
    const heights = ticks(least, most, 5, log);
    this.picture.replaceChildren(
      ...heights.flatMap((v) => [rule(left, this.y(v), right, this.y(v), {stroke: 'var(--line)'}),
        label(left - 6, this.y(v) + 4, short(v), {class: 'tick', 'text-anchor': 'end'})]),
      ...(least < 0 && most > 0 && !log ? [rule(left, this.y(0), right, this.y(0), {stroke: 'var(--faint)'})] : []),
      ...names.map((v) => label(this.x(v), bottom + 17, short(v), {class: 'tick', 'text-anchor': 'middle'})),
      ...marks.filter(({y}) => y > least && y < most).flatMap(({y, text}) => [
        rule(left, this.y(y), right, this.y(y), {stroke: 'var(--faint)', 'stroke-dasharray': '5 4'}),
        label(left + 5, this.y(y) - 5, text, {class: 'tick'})]),
      ...(at === null ? [] : [rule(this.x(x[at]), top, this.x(x[at]), bottom, {class: 'at'})]),
      label((left + right) / 2, bottom + 35, x_label, {'text-anchor': 'middle'}),
      label(0, 0, y_label, {transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}),
      ...series.map((line) => this.line(line, dots)),
      ...(at === null ? [] : series.slice(0, 1).filter((line) => Number.isFinite(line.y[at])).map((line) =>
        svg('circle', {cx: this.x(x[at]), cy: this.y(line.y[at]), r: 5, class: 'dot', fill: 'var(--accent)'}))));
    this.drawKeys();
  }

  line({name, y, index}, dots) {
    const {colour: stroke, dash} = style(index);
    const points = this.xs.map((x, i) => [this.x(x), this.y(y[i])]).filter(([, v]) => Number.isFinite(v));
    const path = points.map(([a, b], i) => `${i ? 'L' : 'M'}${a.toFixed(1)} ${clamp(b, -1e4, 1e4).toFixed(1)}`).join('');
    return svg('g', {class: 'series', 'data-name': name}, svg('path', {class: 'line', d: path, stroke, 'stroke-dasharray': dash}),
      ...(dots ? points.map(([cx, cy]) => svg('circle', {cx, cy, r: 2.6, fill: stroke})) : []));
  }

  drawKeys() {
    const sample = (index) => svg('svg', {viewBox: '0 0 22 8', 'aria-hidden': true},
      rule(0, 4, 22, 4, {stroke: style(index).colour, 'stroke-width': 2.2, 'stroke-dasharray': style(index).dash}));
    this.keys.replaceChildren(...(this.series.length < 2 ? [] : this.series.map((line) => html('li', {}, sample(line.index), line.name))));
  }

  over(x, y, pressed) {
    let best = 0;
    this.xs.forEach((v, i) => { if (Math.abs(this.x(v) - x) < Math.abs(this.x(this.xs[best]) - x)) best = i; });
    if (pressed) this.choose?.(best);
    this.tell(best, y);
  }

  tell(i, y = this.height / 2) {
    this.hot = i;
    const most = 8;
    const lines = this.series.slice(0, most).map((line) =>
      html('span', {}, html('i', {class: 'swatch', style: `background: ${style(line.index).colour}`}),
        ` ${this.series.length > 1 ? line.name + ' ' : ''}${short(line.y[i])}`));
    this.showTip(this.x(this.xs[i]), y, html('b', {}, `${this.x_label} ${short(this.xs[i])}`), ...lines,
      ...(this.series.length > most ? ['…'] : []));
  }

  move(along) {
    const i = clamp((this.choose ? this.at : this.hot ?? -1) + along, 0, this.xs.length - 1);
    this.choose?.(i);
    this.tell(i);
  }
}

// Each pair of dimensions as the hand of a clock: an angle of 0 points up, and it turns clockwise.
class Clocks {
  constructor(title) { this.element = html('div', {class: 'clocks', role: 'img', 'aria-label': title}); }

  // hands: for each clock its name, and the angles of the pale and of the dark hand.
  draw(hands) {
    const tip = (angle) => [24 + 17 * Math.sin(angle), 24 - 17 * Math.cos(angle)];
    const hand = (angle, name) => rule(24, 24, ...tip(angle), {class: name});
    this.element.replaceChildren(...hands.map(({name, from, to}) => {
      const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from));  // the short way round
      const [a, b] = [tip(from), tip(to)];
      const arc = `M24 24L${a}A17 17 0 0 ${turn > 0 ? 1 : 0} ${b}Z`;
      return html('figure', {}, svg('svg', {viewBox: '0 0 48 48'}, svg('circle', {cx: 24, cy: 24, r: 20}),
        svg('path', {class: 'arc', d: arc}), hand(from, 'from'), hand(to, 'to')), html('figcaption', {}, name));
    }));
  }
}

function slider(title, low, high, change) {
  const shown = html('output', {});
  const input = html('input', {type: 'range', min: low, max: high, 'aria-label': title, oninput: () => change(+input.value)});
  const set = (value, text) => { input.value = value; shown.textContent = text; };
  return {element: html('label', {}, title, input, shown), set};
}
