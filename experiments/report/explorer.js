// Makes explorer.html react: each panel becomes pictures with a cursor and sliders, and a base and a width can be changed. The
// numbers are in the element #data, which explorer_data.h describes; explorer_plots.js has the pictures.
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);

// ---- An encoding, with the base and the width that are chosen ----

class Encoding {
  constructor(numbers, index) {
    Object.assign(this, numbers);
    this.index = index;
    this.length = this.positions.length;
    this.reset();
  }

  get changed() { return this.version > 0; }
  reset() {
    this.version = 0;
    this.sines = this.input_base ? {base: this.input_base, width: this.d_model} : null;
    this.turns = this.rotary ? {...this.rotary} : null;
    this.rows = this.input;
  }
  change(what, name, value) {
    this[what][name] = value;
    ++this.version;
    if (what === 'sines') this.rows = sinusoids(this.positions, this.sines.width, this.sines.base);
  }

  get speeds() { return this.turns && this.changed ? frequencies(this.turns.width, this.turns.base) : this.frequencies; }
  get inputSpeeds() { return this.sines && this.changed ? frequencies(this.sines.width, this.sines.base) : this.input_frequencies; }
  get headWidth() { return this.turns ? this.turns.width + this.turns.rest : this.sines ? this.sines.width / this.heads : this.d_head; }

  sees(i, j) { return !this.causal || j <= i; }
  distance(i, j) { return this.positions[i] - this.positions[j]; }

  // Of query i and key j, as indices of positions; NaN if it is not drawn.
  of(pairs, i, j, head) {
    const h = pairs.same_heads ? 0 : head;
    if (pairs.distances) return pairs.curves[h]?.[i - j + (this.causal ? 0 : this.length - 1)] ?? NaN;
    const [r, c] = [pairs.drawn.indexOf(i), pairs.drawn.indexOf(j)];
    return r < 0 || c < 0 ? NaN : pairs.matrices[h]?.[r]?.[c] ?? NaN;
  }
  product(i, j, head) {
    if (this.turns && this.changed) return rotaryProduct(this.turns, this.distance(i, j));
    return this.products ? this.of(this.products, i, j, head) : this.headWidth;
  }
  // The score of a query and a key of ones: see the text of the comparison.
  score(i, j, head) {
    const root = Math.sqrt(this.headWidth);
    return this.product(i, j, head) / root + (this.bias ? this.of(this.bias, i, j, head) : 0) +
      (this.rows ? dot(this.rows[i], this.rows[j]) / (this.heads * root) : 0);
  }
  get isWhole() { return [this.products, this.bias].every((pairs) => !pairs?.drawn || pairs.drawn.length === this.length); }
  get headCount() {
    const counts = [this.products, this.bias].map((pairs) => !pairs || pairs.same_heads ? 1 : (pairs.curves ?? pairs.matrices).length);
    return Math.max(...counts);
  }
  headName(head) { return this.headCount === 1 ? 'all heads' : `head ${head + 1}`; }
}

// ---- The panels: each has a list of elements and draws the state of its section ----

// At most `most` of the pairs, evenly spaced.
const somePairs = (count, most) => range(Math.min(count, most)).map((i) => count <= most ? i : Math.round(i * (count - 1) / (most - 1)));
const two = (...pictures) => html('div', {class: 'two'}, ...pictures.map(([title, plot]) => html('div', {}, html('h4', {}, title), plot.element)));
const readout = () => html('p', {class: 'readout', role: 'status'});
// A letter and an underscore are a letter with an index.
const math = (text) => text.split(/(?<=\b\p{L})_(\w+)/u).map((part, i) => i % 2 ? html('sub', {}, part) : part);
const hint = (text) => html('p', {class: 'hint'}, ...math(text));
const controls = (...widgets) => html('div', {class: 'controls'}, ...widgets.map((widget) => widget.element ?? widget));
const largest = (values) => values.reduce((most, v) => Math.max(most, Math.abs(v) || 0), 0);

class InputPanel {
  constructor(section) {
    this.section = section;
    this.map = new Heatmap('What is added, by position and dimension', (p, c) => section.set({p, c}));
    this.row = new Curves('The row of this position', (c) => section.set({c}));
    this.column = new Curves('The column of this dimension', (p) => section.set({p}));
    this.text = readout();
    this.titles = two(['', this.row], ['', this.column]);
    this.elements = [hint('Point at a cell, or move with the arrow keys: its row and its column are drawn below.'),
      this.map.element, this.text, this.titles];
  }

  draw({encoding, state: {p, c}}) {
    const {rows, positions} = encoding;
    c = Math.min(c, rows[0].length - 1);
    const most = largest(rows.flat());
    this.map.draw({rows: positions.map(short), cols: range(rows[0].length), value: (r, d) => rows[r][d], most, at: [p, c],
      x_label: 'dimension', y_label: 'position', version: encoding.version});
    const [row, column] = all('h4', this.titles);
    row.textContent = `Position ${short(positions[p])}: its row, the vector that is added`;
    column.textContent = `Dimension ${c}: its column, from position to position`;
    const half = (odd) => rows[p].map((v, d) => d % 2 === odd ? v : NaN);
    const lines = encoding.sines ? [{name: 'sin', y: half(0), index: 0}, {name: 'cos', y: half(1), index: 2}] : [{name: 'row', y: rows[p], index: 0}];
    this.row.draw({x: range(rows[0].length), series: lines, x_label: 'dimension', y_label: 'value',
      at: c, dots: encoding.sines && rows[p].length <= 128, low: -1.08 * most, high: 1.08 * most});
    this.column.draw({x: positions, series: [{name: 'column', y: rows.map((one) => one[c]), index: 1}], x_label: 'position', y_label: 'value',
      at: p, low: -1.08 * most, high: 1.08 * most});
    const speed = encoding.sines && encoding.inputSpeeds[Math.floor(c / 2)];
    this.text.textContent = `position ${short(positions[p])}, dimension ${c}: ${short(rows[p][c])}` +
      (encoding.sines ? ` = ${c % 2 ? 'cos' : 'sin'}(${short(positions[p])} · ${short(speed)})` : '');
  }
}

class OffsetPanel {
  constructor(section) {
    this.section = section;
    const last = section.encoding.length - 1;
    this.k = slider('offset k', 0, last, (n) => section.set({n}));
    this.p = slider('position p', 0, last, (p) => section.set({p}));
    this.product = new Curves('The product of two rows, by offset', (n) => section.set({n}));
    this.matrix = new Heatmap('The matrix M_k', (r, c) => { this.cell = [r, c]; section.set({}); });
    this.clocks = new Clocks('Pairs of columns as hands of clocks: of position p, and of position p + k');
    this.text = readout();
    this.titles = two(['', this.product], ['', this.matrix]);
    this.elements = [controls(this.k, this.p), this.text, this.titles,
      hint('Each pair of columns is the hand of a clock: blue for position p, orange for p + k. M_k turns the first into the second, and ' +
        'by the same angle whatever p is.'), this.clocks.element];
  }

  draw({encoding, state}) {
    const {rows, positions, length} = encoding;
    const k = Math.min(state.n, length - 1);
    const p = Math.min(state.p, length - 1 - k);
    this.k.set(k, k);
    this.p.set(p, short(positions[p]));
    const products = range(length - p).map((n) => dot(rows[p], rows[p + n]));
    const [left, right] = all('h4', this.titles);
    left.textContent = `PE(p)·PE(p + k) for p = ${short(positions[p])}`;
    this.product.draw({x: range(length - p), series: [{name: 'product', y: products, index: 0}], x_label: 'offset k', y_label: 'product', at: k, tall: true});
    const start = `PE(${short(positions[p])})·PE(${short(positions[p + k])}) = ${short(products[k])}, ${short(100 * products[k] / products[0])} % of that at k = 0`;
    const even = rows[0].length % 2 === 0;
    this.matrix.element.parentElement.hidden = this.clocks.element.hidden = !even;
    this.text.textContent = start;
    if (!even) return;
    const blocks = rotations(rows, k);
    const pairs = somePairs(blocks.length, 16);
    right.replaceChildren(...math(`M_${k}` + (pairs.length < blocks.length ? `: ${pairs.length} of its ${blocks.length} blocks` : '')));
    const value = (r, c) => {
      const {cos, sin} = blocks[pairs[r >> 1]];
      return r >> 1 !== c >> 1 ? 0 : r === c ? cos : r < c ? sin : -sin;
    };
    const names = pairs.flatMap((i) => [2 * i, 2 * i + 1]);
    if (this.cell?.some((i) => i >= names.length)) this.cell = null;
    this.matrix.draw({rows: names, cols: names, value, most: 1, at: this.cell, x_label: 'dimension of PE(p)', y_label: 'of PE(p + k)',
      version: `${encoding.version},${k}`, square: true});
    const error = missed(rows, k, blocks);
    this.text.append(...math(`; M_${k} PE(p) misses PE(p + ${k}) by ${error < 1e-4 ? 'no more than rounding' : `up to ${short(error)}`}` +
      (this.cell ? `; M_${k}[${names[this.cell[0]]}, ${names[this.cell[1]]}] = ${short(value(...this.cell))}` : '')));
    this.clocks.draw(somePairs(blocks.length, 16).map((i) => ({name: `pair ${i}`, from: Math.atan2(rows[p][2 * i], rows[p][2 * i + 1]),
      to: Math.atan2(rows[p + k][2 * i], rows[p + k][2 * i + 1])})));
  }
}

class WavesPanel {
  constructor() {
    this.curve = new Curves('Wavelength by pair');
    this.elements = [this.curve.element];
  }

  draw({encoding}) {
    const speeds = (encoding.inputSpeeds ?? encoding.speeds).map((speed, i) => [i, speed]).filter(([, speed]) => speed > 0);
    if (speeds.length === 0) return;
    const reach = Math.max(...encoding.positions) - Math.min(...encoding.positions) + 1;
    this.curve.draw({x: speeds.map(([i]) => i), series: [{name: 'wavelength', y: speeds.map(([, speed]) => 2 * Math.PI / speed), index: 0}],
      x_label: 'pair', y_label: 'wavelength', log: true, dots: speeds.length <= 64,
      marks: [{y: reach, text: `${short(reach)} positions are on this page`}]});
  }
}

class AnglesPanel {
  constructor(section) {
    const last = section.encoding.length - 1;
    this.map = new Heatmap('Cosine of the angle, by position and pair', (p, pair) => section.set({p, pair}));
    this.p = slider('position p', 0, last, (p) => section.set({p}));
    this.n = slider('distance n', 0, last, (n) => section.set({n}));
    this.clocks = new Clocks('Pairs as hands of clocks: of the key, and of the query');
    this.text = readout();
    this.elements = [this.map.element, this.text, controls(this.p, this.n),
      hint('Each pair of dimensions is the hand of a clock: orange for the query at position p, blue for the key n positions before it. ' +
        'Move p, and both turn by the same angle; the angle between them stays. It is all that their product sees.'), this.clocks.element];
  }

  draw({encoding, state: {p, n, pair}}) {
    const {positions, speeds} = encoding;
    const i = Math.min(pair, speeds.length - 1);
    this.map.draw({rows: positions.map(short), cols: range(speeds.length), value: (r, c) => Math.cos(positions[r] * speeds[c]), most: 1,
      at: [p, i], x_label: 'pair', y_label: 'position', version: encoding.version});
    const angle = positions[p] * speeds[i];
    this.text.textContent = `position ${short(positions[p])}, pair ${i}: turned by ${short(angle)} radians` +
      ` (${short(angle / 2 / Math.PI)} turns), cosine ${short(Math.cos(angle))}`;
    this.p.set(p, short(positions[p]));
    this.n.set(n, n);
    const key = positions[Math.max(0, p - n)];
    this.clocks.draw(somePairs(speeds.length, 16).map((one) => ({name: `pair ${one}`, from: key * speeds[one], to: positions[p] * speeds[one]})));
  }
}

// The product of a rotated query and key by distance, and what each pair adds to it.
class DistancePanel {
  constructor(section) {
    this.curve = new Curves('q·k by distance', (n) => section.set({n}));
    this.pairs = new Heatmap('What each pair adds, by pair and distance', (pair, n) => section.set({pair, n}));
    this.text = readout();
    this.elements = [this.curve.element, this.text, html('h4', {}, 'What each pair adds'), this.pairs.element];
  }

  draw({encoding, state}) {
    const {turns, speeds} = encoding;
    const last = encoding.length - 1;
    const n = Math.min(state.n, last);
    const step = last > 0 ? encoding.distance(1, 0) : 1;
    const share = range(last + 1).map((m) => encoding.product(last, last - m, 0) / encoding.headWidth);
    const distances = range(last + 1).map((m) => m * step);
    this.curve.draw({x: distances, series: [{name: 'product', y: share, index: 0}], x_label: 'distance n', y_label: 'q·k, share', at: n, high: 1.05, right: 52});
    const of = turns ? (i, m) => pairProduct(turns, i, m * step) / 2 : (i, m) => Math.cos(m * step * speeds[i]);
    const pair = Math.min(state.pair, speeds.length - 1);
    this.text.textContent = `n = ${short(distances[n])}: ${short(share[n])} of the product at distance 0`;
    this.text.textContent += `; pair ${pair} adds ${short(of(pair, n))} of its full value`;
    this.pairs.draw({rows: range(speeds.length), cols: distances.map(short), value: of, most: 1, at: [pair, n], x_label: 'distance n', y_label: 'pair',
      version: encoding.version});
  }
}

// A function of query and key: what is added to scores, or a product that does not depend on distance alone.
class PairPanel {
  constructor(section, name, factor) {
    const {encoding} = section;
    Object.assign(this, {name, factor, zeros: false});
    this.pairs = encoding[name];
    this.p = slider('query p', 0, encoding.length - 1, (p) => section.set({p}));
    this.curve = new Curves('By distance or key, for each head', this.pairs.distances && ((i) => section.set({n: Math.abs(i - this.zero(encoding))})));
    this.map = new Heatmap('By query and key', (r, c) => section.set({p: this.drawn[r], key: this.drawn[c]}));
    this.text = readout();
    this.titles = two(['', this.curve], ['', this.map]);
    const count = (this.pairs.curves ?? this.pairs.matrices).length;
    this.elements = [controls(
      ...(encoding.bias_of_zeros && name === 'bias' ? [choice('queries and keys', ['numbers 1', 'numbers 0'], (i) => {
        this.zeros = i === 1;
        section.set({});
      })] : []),
      ...(count > 1 ? [chooser('head', range(count).map((h) => `${h + 1}`), 0, (head) => section.set({head}))] : []),
      this.p), this.text, this.titles];
  }

  zero(encoding) { return encoding.causal ? 0 : encoding.length - 1; }

  draw({encoding, state: {p, key, head}}) {
    const pairs = this.zeros ? encoding.bias_of_zeros : this.pairs;
    const all_heads = pairs.curves ?? pairs.matrices;
    const h = Math.min(head, all_heads.length - 1);
    this.drawn = pairs.drawn ?? range(encoding.length);
    const nearest = (i) => this.drawn.reduce((a, b) => Math.abs(b - i) < Math.abs(a - i) ? b : a);
    const query = nearest(p);
    const seen = encoding.causal ? Math.min(key, query) : key;
    const column = nearest(seen);
    const {positions} = encoding;
    this.p.set(query, short(positions[query]));
    const name = (i) => pairs.same_heads ? 'all heads' : `head ${i + 1}`;
    const [left, right] = all('h4', this.titles);
    const by_query = !pairs.distances && all_heads.every((one) => one.every((row) => row.every((v) => Math.abs(v - row[0]) < 1e-6)));
    left.textContent = pairs.distances ? 'By distance' : by_query ? 'By query' : `Of the query at position ${short(positions[query])}, by key`;
    right.textContent = `By query and key, ${name(h)}`;
    const at = pairs.distances ? query - column + this.zero(encoding) : this.drawn.indexOf(by_query ? query : column);
    const line = (one) => pairs.distances ? one : this.drawn.map((_, i) => (by_query ? one[i][0] : one[this.drawn.indexOf(query)][i]) ?? NaN);
    this.curve.draw({x: pairs.distances ?? this.drawn.map((j) => positions[j]), x_label: pairs.distances ? 'distance n' : by_query ? 'query' : 'key', y_label: this.factor === 1 ? 'added' : 'q·k, share',
      at, series: all_heads.map((one, i) => ({name: name(i), index: i, y: line(one).map((v) => v * this.factor)})), tall: true});
    const value = (r, c) => encoding.sees(r, c) ? this.factor * encoding.of(pairs, this.drawn[r], this.drawn[c], h) : NaN;
    const most = this.factor * largest(all_heads[h].flat());
    const names = this.drawn.map((i) => short(positions[i]));
    this.map.draw({rows: names, cols: names, value, most, at: [this.drawn.indexOf(query), this.drawn.indexOf(column)], x_label: 'key', y_label: 'query',
      version: `${h},${this.zeros}`, square: true});
    this.text.textContent = `query ${short(positions[query])}, key ${short(positions[column])}, ${name(h)}: ` +
      short(this.factor * encoding.of(pairs, query, column, h));
  }
}

class AttentionPanel {
  constructor(section) {
    this.p = slider('query p', 0, section.encoding.length - 1, (p) => section.set({p}));
    this.curve = new Curves('Attention by key');
    this.text = readout();
    this.elements = section.encoding.isWhole ? [controls(this.p), this.curve.element, this.text] : [hint('Not drawn: not all positions are on this page.')];
  }

  draw({encoding, state: {p}}) {
    if (!encoding.isWhole) return;
    const {positions, length, headCount} = encoding;
    const keys = range(encoding.causal ? p + 1 : length);
    this.p.set(p, short(positions[p]));
    const series = range(headCount).map((head) => ({name: encoding.headName(head), index: head,
      y: softmax(keys.map((j) => encoding.score(p, j, head)))}));
    const x = keys.length === 1 ? [positions[0], positions[0]] : keys.map((j) => positions[j]);
    if (keys.length === 1) for (const line of series) line.y.push(1);
    this.curve.draw({x, series, x_label: 'key', y_label: 'attention', low: 0, marks: [{y: 1 / keys.length, text: 'the same for every key'}]});
    const most = series[0].y.indexOf(Math.max(...series[0].y));
    const flat = Math.max(...series[0].y) - Math.min(...series[0].y) < 1e-6;
    this.text.textContent = `${encoding.headName(0)}: ` + (flat ? `every key gets ${short(1 / keys.length)}`
      : `most to the key at position ${short(x[most])} (${short(100 * series[0].y[most])} %)`);
  }
}

const panels = {
  input: (section) => new InputPanel(section),
  offset: (section) => new OffsetPanel(section),
  waves: () => new WavesPanel(),
  angles: (section) => new AnglesPanel(section),
  distance: (section) => new DistancePanel(section),
  products: (section) => new PairPanel(section, 'products', 1 / section.encoding.d_head),
  bias: (section) => new PairPanel(section, 'bias', 1),
  attention: (section) => new AttentionPanel(section),
};

// ---- Sections ----

class Section {
  constructor(element) {
    this.element = element;
    this.encoding = new Encoding(data[element.dataset.encoding], +element.dataset.encoding);
    const last = this.encoding.length - 1;
    this.state = {p: Math.round(last * .4), n: Math.min(5, last), c: Math.min(4, this.encoding.d_model - 1), pair: 1, head: 0, key: Math.round(last * .3)};
    this.panels = all('.panel', element).map((panel) => {
      const made = panels[panel.dataset.panel](this);
      panel.hidden = false;
      panel.querySelector('.live').replaceChildren(...made.elements);
      return made;
    });
    const formulas = ['sines', 'turns'].filter((what) => this.encoding[what]);
    if (formulas.length > 0 && !this.encoding.trained) element.querySelector('.panel').before(...formulas.map((what) => this.formulaControls(what)));
  }

  // The base and the width of a formula.
  formulaControls(what) {
    const {encoding} = this;
    const rotary = what === 'turns';
    const width = html('input', {type: 'number', min: 2, max: rotary ? 256 : 512, step: 2});
    const base = html('input', {type: 'number', min: 2, max: 1e8, step: 'any'});
    const logs = html('input', {type: 'range', min: Math.log10(2), max: 6, step: .01, 'aria-label': 'base, on a logarithmic scale'});
    const show = () => {
      width.value = encoding[what].width;
      base.value = encoding[what].base;
      logs.value = Math.log10(encoding[what].base);
    };
    const change = (name, value) => { encoding.change(what, name, value); show(); this.redraw(); };
    logs.addEventListener('input', () => change('base', +(10 ** logs.value).toPrecision(3)));
    base.addEventListener('change', () => change('base', clamp(+base.value || encoding[what].base, 2, 1e8)));
    width.addEventListener('change', () => change('width', 2 * Math.round(clamp(+width.value || 2, 2, +width.max) / 2)));
    const reset = html('button', {onclick: () => { encoding.reset(); show(); this.redraw(); }}, 'as in the run');
    show();
    const names = rotary ? ['base of the rotation', 'rotated dimensions of a head'] : ['base', 'd_model'];
    return html('div', {class: 'controls formula-controls', role: 'group', 'aria-label': 'the formula'},
      html('label', {}, names[0], base), logs, html('label', {}, names[1], width), reset);
  }

  set(change) {
    Object.assign(this.state, change);
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    if (this.element.hidden) return;
    for (const panel of this.panels) panel.draw(this);
    this.onchange?.();
  }
}

// All encodings in one picture.
class Comparison {
  constructor(element, encodings) {
    Object.assign(this, {element, encodings, measure: 0, head: 0});
    const measures = ['share of attention', 'score, least 0 and most 1', 'score'];
    const heads = Math.max(...encodings.map((one) => one.headCount));
    this.curve = new Curves('All encodings by distance');
    this.heatmaps = encodings.filter((one) => one.isWhole && one.length <= 256).map((one) => ({one, map: new Heatmap(one.name, () => {})}));
    this.maps = html('div', {class: 'three'}, ...this.heatmaps.map(({one, map}) => html('div', {}, html('h4', {}, one.name), map.element)));
    const panel = element.querySelector('.panel');
    panel.hidden = false;
    panel.querySelector('.live').replaceChildren(controls(choice('measure', measures, (i) => { this.measure = i; this.draw(); }),
      ...(heads > 1 ? [chooser('head', range(heads).map((h) => `${h + 1}`), 0, (head) => { this.head = head; this.draw(); })] : [])),
    this.curve.element, html('h4', {}, 'Attention of each query, if all tokens are alike'), this.maps,
    hint('Colours are shares of what the most attended key of the same query gets. An encoding without heads of its own is the same for every ' +
      'head. Bases and widths that were changed in its section count here, too.'));
  }

  draw() {
    if (this.element.hidden) return;
    const length = Math.min(...this.encodings.map((one) => one.length));
    const series = this.encodings.map((one) => {
      const last = one.length - 1;
      const head = Math.min(this.head, one.headCount - 1);
      const scores = range(last + 1).map((n) => one.score(last, last - n, head));
      return {name: one.name, index: one.index, y: this.measured(scores)};
    });
    this.curve.draw({x: range(length), series, x_label: 'tokens back', y_label: ['attention', 'scaled score', 'score'][this.measure],
      low: this.measure === 0 ? 0 : undefined});
    for (const {one, map} of this.heatmaps) this.drawMap(one, map, Math.min(this.head, one.headCount - 1));
  }

  // The colours of a row span what its query gives to any key, so that the last rows are as clear as the first.
  drawMap(one, map, head) {
    const keys = (i) => range(one.causal ? i + 1 : one.length);
    const shares = range(one.length).map((i) => softmax(keys(i).map((j) => one.score(i, j, head))));
    const most = shares.map((row) => Math.max(...row));
    const names = one.positions.map(short);
    map.draw({rows: names, cols: names, value: (r, c) => (shares[r][c] ?? NaN) / most[r], most: 1, x_label: 'key', y_label: 'query',
      version: `${one.version},${head}`, square: true});
  }

  measured(scores) {
    if (this.measure === 0) return scores.some(Number.isNaN) ? scores.map(() => NaN) : softmax(scores);
    const [low, high] = [Math.min(...scores.filter(Number.isFinite)), Math.max(...scores.filter(Number.isFinite))];
    return this.measure === 2 ? scores : scores.map((s) => high - low < 1e-9 ? 1 : (s - low) / (high - low));
  }
}

// ---- The page ----

const sections = all('section[data-encoding]').map((element) => new Section(element));
const together = document.getElementById('comparison');
const comparison = together && new Comparison(together, sections.map((section) => section.encoding));

function drawAll() {
  for (const section of sections) section.draw();
  comparison?.draw();
}

// The chooser shows one section at a time; #all shows all of them. The browser would scroll to the element with the id.
const places = new Map(all('main > section').map((section) => ['#' + section.id, section]));
for (const section of places.values()) section.removeAttribute('id');
function choose() {
  const links = all('.chooser a');
  const chosen = links.find((link) => link.hash === location.hash) ?? links[0];
  if (!chosen) return drawAll();
  for (const link of links) link.setAttribute('aria-current', link === chosen);
  for (const [hash, section] of places) section.hidden = chosen.hash !== '#all' && hash !== chosen.hash;
  drawAll();
}

// Below the chooser, which stays in view unless it has many entries.
function makeRoom() {
  const height = chooserBar && getComputedStyle(chooserBar).position === 'sticky' ? chooserBar.offsetHeight : 0;
  document.documentElement.style.setProperty('--bar', height + 'px');
}

const chooserBar = document.querySelector('.chooser');
if (chooserBar) chooserBar.append(html('a', {href: '#all'}, 'Everything'));
addEventListener('hashchange', () => { choose(); scrollTo(0, 0); });
addEventListener('resize', () => { makeRoom(); drawAll(); });
darkness.addEventListener('change', drawAll);
for (const [event, on] of [['beforeprint', true], ['afterprint', false]]) addEventListener(event, () => { printing = on; drawAll(); });
makeRoom();
choose();
})();
