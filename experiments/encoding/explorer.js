// Draws the pictures of explorer.html: each panel becomes pictures with a cursor and sliders, and a base and a width can be
// changed. The numbers are in the element #data, which numbers.h describes; charts.js has the pictures.
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

// ---- What panels are made of ----

// At most 16 of the pairs, evenly spaced.
const somePairs = (count) => range(Math.min(count, 16)).map((i) => count <= 16 ? i : Math.round(i * (count - 1) / 15));
const readout = () => html('p', {class: 'readout', role: 'status'});
// Text with the indices of single letters lowered, and exponents raised: q_i, base^(-2i/d), but d_model.
const script = /(?<=(?<!\w)\p{L})_(?:\{([^{}]*)\}|(\d+|\w{1,2})(?!\w))|\^(?:\{([^{}]*)\}|\(((?:[^()]|\([^()]*\))*)\)|(\w+))/u;
function math(text) {
  const found = script.exec(text);
  if (!found) return [text];
  const inside = found.slice(1).find((group) => group !== undefined);
  return [text.slice(0, found.index), html(found[0][0] === '_' ? 'sub' : 'sup', {}, ...math(inside)), ...math(text.slice(found.index + found[0].length))];
}
const hint = (text) => html('p', {class: 'hint'}, ...math(text));
const controls = (...widgets) => html('div', {class: 'controls'}, ...widgets.map((widget) => widget.element ?? widget));
const headChooser = (count, change) => count > 1 ? [chooser('head', range(count).map((h) => `${h + 1}`), 0, change)] : [];
const largest = (values) => values.reduce((most, v) => Math.max(most, Math.abs(v) || 0), 0);
const tall = [.8, 200, 420];

// Two pictures with titles.
function two(...plots) {
  const titles = plots.map(() => html('h4', {}));
  return {titles, element: html('div', {class: 'two'}, ...plots.map((plot, i) => html('div', {}, titles[i], plot.element)))};
}

// Chooses a position or an offset.
function slider(section, title, name) {
  const shown = html('output', {});
  const input = html('input', {type: 'range', min: 0, max: section.encoding.length - 1, 'aria-label': title,
    oninput: () => section.set({[name]: +input.value})});
  const set = (value, text = value) => { input.value = value; shown.textContent = text; };
  return {element: html('label', {}, title, input, shown), set};
}

// Each pair of dimensions as the hand of a clock: an angle of 0 points up, and it turns clockwise.
class Clocks {
  constructor(title) { this.element = html('div', {class: 'clocks', role: 'img', 'aria-label': title}); }

  // The angles of the pale and of the dark hand of `count` pairs, of which some are drawn.
  draw(count, from, to) {
    const tip = (angle) => [24 + 17 * Math.sin(angle), 24 - 17 * Math.cos(angle)];
    const hand = (angle, name) => rule(24, 24, ...tip(angle), {class: name});
    this.element.replaceChildren(...somePairs(count).map((i) => {
      const [a, b] = [from(i), to(i)];
      const turn = Math.atan2(Math.sin(b - a), Math.cos(b - a));  // the short way round
      const arc = `M24 24L${tip(a)}A17 17 0 0 ${turn > 0 ? 1 : 0} ${tip(b)}Z`;
      return html('figure', {}, svg('svg', {viewBox: '0 0 48 48'}, svg('circle', {cx: 24, cy: 24, r: 20}),
        svg('path', {class: 'arc', d: arc}), hand(a, 'from'), hand(b, 'to')), html('figcaption', {}, `pair ${i}`));
    }));
  }
}

// ---- The panels: each has elements, and draws the encoding in the state of its section ----

function inputPanel(section) {
  const map = new Heatmap('What is added, by position and dimension', (p, c) => section.set({p, c}));
  const row = new Lines('The row of this position', (c) => section.set({c}));
  const column = new Lines('The column of this dimension', (p) => section.set({p}));
  const text = readout();
  const {titles, element} = two(row, column);
  const draw = (encoding, state) => {
    const {rows, positions, sines, inputSpeeds, version} = encoding;
    const {p} = state;
    const dimensions = range(rows[0].length);
    const c = Math.min(state.c, dimensions.length - 1);
    const most = largest(rows.flat());
    const scale = {y_label: 'value', low: -1.08 * most, high: 1.08 * most};
    map.draw({rows: positions.map(short), cols: dimensions, value: (r, d) => rows[r][d], most, at: [p, c], x_label: 'dimension',
      y_label: 'position', version});
    titles[0].textContent = `Position ${short(positions[p])}: its row, the vector that is added`;
    titles[1].textContent = `Dimension ${c}: its column, from position to position`;
    const half = (odd) => points(dimensions, rows[p].map((v, d) => d % 2 === odd ? v : NaN));
    const series = sines ? [{name: 'sin', points: half(0), index: 0}, {name: 'cos', points: half(1), index: 2}]
      : [{name: 'row', points: points(dimensions, rows[p]), index: 0}];
    row.draw({...scale, series, x_label: 'dimension', chosen: c, dots: sines && dimensions.length <= 128 ? 2 : 0});
    column.draw({...scale, series: [{name: 'column', points: points(positions, rows.map((one) => one[c])), index: 1}], x_label: 'position', chosen: p});
    text.textContent = `position ${short(positions[p])}, dimension ${c}: ${short(rows[p][c])}` +
      (sines ? ` = ${c % 2 ? 'cos' : 'sin'}(${short(positions[p])} · ${short(inputSpeeds[Math.floor(c / 2)])})` : '');
  };
  return {draw, elements: [hint('Point at a cell, or move with the arrow keys: its row and its column are drawn below.'), map.element, text, element]};
}

function offsetPanel(section) {
  const sliders = {k: slider(section, 'offset k', 'n'), p: slider(section, 'position p', 'p')};
  const product = new Lines('The product of two rows, by offset', (n) => section.set({n}));
  let cell = null;
  const matrix = new Heatmap('The matrix M_k', (r, c) => { cell = [r, c]; section.set({}); });
  const clocks = new Clocks('Pairs of columns as hands of clocks: of position p, and of position p + k');
  const text = readout();
  const {titles, element} = two(product, matrix);
  const draw = ({rows, positions, length, version}, state) => {
    const k = Math.min(state.n, length - 1);
    const p = Math.min(state.p, length - 1 - k);
    const [from, to] = [short(positions[p]), short(positions[p + k])];
    sliders.k.set(k);
    sliders.p.set(p, from);
    const offsets = range(length - p);
    const products = offsets.map((n) => dot(rows[p], rows[p + n]));
    titles[0].textContent = `PE(p)·PE(p + k) for p = ${from}`;
    product.draw({series: [{name: 'product', points: points(offsets, products), index: 0}], x_label: 'offset k', y_label: 'product', chosen: k, shape: tall});
    text.textContent = `PE(${from})·PE(${to}) = ${short(products[k])}, ${short(100 * products[k] / products[0])} % of that at k = 0`;
    const even = rows[0].length % 2 === 0;
    matrix.element.parentElement.hidden = clocks.element.hidden = !even;
    if (!even) return;
    const blocks = rotations(rows, k);
    const pairs = somePairs(blocks.length);
    titles[1].replaceChildren(...math(`M_${k}` + (pairs.length < blocks.length ? `: ${pairs.length} of its ${blocks.length} blocks` : '')));
    const value = (r, c) => {
      const {cos, sin} = blocks[pairs[r >> 1]];
      return r >> 1 !== c >> 1 ? 0 : r === c ? cos : r < c ? sin : -sin;
    };
    const names = pairs.flatMap((i) => [2 * i, 2 * i + 1]);
    if (cell?.some((i) => i >= names.length)) cell = null;
    matrix.draw({rows: names, cols: names, value, most: 1, at: cell, x_label: 'dimension of PE(p)', y_label: 'of PE(p + k)',
      version: `${version},${k}`, square: true});
    const error = missed(rows, k, blocks);
    text.append(...math(`; M_${k} PE(p) misses PE(p + ${k}) by ${error < 1e-4 ? 'no more than rounding' : `up to ${short(error)}`}` +
      (cell ? `; M_${k}[${names[cell[0]]}, ${names[cell[1]]}] = ${short(value(...cell))}` : '')));
    const angle = (row) => (i) => Math.atan2(row[2 * i], row[2 * i + 1]);
    clocks.draw(blocks.length, angle(rows[p]), angle(rows[p + k]));
  };
  return {draw, elements: [controls(sliders.k, sliders.p), text, element,
    hint('Each pair of columns is the hand of a clock: blue for position p, orange for p + k. M_k turns the first into the second, and ' +
      'by the same angle whatever p is.'), clocks.element]};
}

function wavesPanel() {
  const curve = new Lines('Wavelength by pair');
  const draw = ({inputSpeeds, speeds, positions}) => {
    const lengths = (inputSpeeds ?? speeds).map((speed) => speed > 0 ? 2 * Math.PI / speed : NaN);
    const reach = Math.max(...positions) - Math.min(...positions) + 1;
    curve.draw({series: [{name: 'wavelength', points: points(range(lengths.length), lengths), index: 0}], x_label: 'pair', y_label: 'wavelength', log: true,
      dots: lengths.length <= 64 ? 2 : 0, guides: [{y: reach, text: `${short(reach)} positions are on this page`}]});
  };
  return {draw, elements: [curve.element]};
}

function anglesPanel(section) {
  const map = new Heatmap('Cosine of the angle, by position and pair', (p, pair) => section.set({p, pair}));
  const sliders = {p: slider(section, 'position p', 'p'), n: slider(section, 'distance n', 'n')};
  const clocks = new Clocks('Pairs as hands of clocks: of the key, and of the query');
  const text = readout();
  const draw = ({positions, speeds, version}, {p, n, pair}) => {
    const i = Math.min(pair, speeds.length - 1);
    map.draw({rows: positions.map(short), cols: range(speeds.length), value: (r, c) => Math.cos(positions[r] * speeds[c]), most: 1,
      at: [p, i], x_label: 'pair', y_label: 'position', version});
    const angle = positions[p] * speeds[i];
    text.textContent = `position ${short(positions[p])}, pair ${i}: turned by ${short(angle)} radians` +
      ` (${short(angle / 2 / Math.PI)} turns), cosine ${short(Math.cos(angle))}`;
    sliders.p.set(p, short(positions[p]));
    sliders.n.set(n);
    clocks.draw(speeds.length, (one) => positions[Math.max(0, p - n)] * speeds[one], (one) => positions[p] * speeds[one]);
  };
  return {draw, elements: [map.element, text, controls(sliders.p, sliders.n),
    hint('Each pair of dimensions is the hand of a clock: orange for the query at position p, blue for the key n positions before it. ' +
      'Move p, and both turn by the same angle; the angle between them stays. It is all that their product sees.'), clocks.element]};
}

// The product of a rotated query and key by distance, and what each pair adds to it.
function distancePanel(section) {
  const curve = new Lines('q·k by distance', (n) => section.set({n}));
  const map = new Heatmap('What each pair adds, by pair and distance', (pair, n) => section.set({pair, n}));
  const text = readout();
  const draw = (encoding, state) => {
    const {turns, speeds, version} = encoding;
    const last = encoding.length - 1;
    const n = Math.min(state.n, last);
    const pair = Math.min(state.pair, speeds.length - 1);
    const step = last > 0 ? encoding.distance(1, 0) : 1;
    const share = range(last + 1).map((m) => encoding.product(last, last - m, 0) / encoding.headWidth);
    const distances = range(last + 1).map((m) => m * step);
    curve.draw({series: [{name: 'product', points: points(distances, share), index: 0}], x_label: 'distance n', y_label: 'q·k, share', chosen: n,
      high: 1.05, right: 52});
    const of = turns ? (i, m) => pairProduct(turns, i, m * step) / 2 : (i, m) => Math.cos(m * step * speeds[i]);
    text.textContent = `n = ${short(distances[n])}: ${short(share[n])} of the product at distance 0; ` +
      `pair ${pair} adds ${short(of(pair, n))} of its full value`;
    map.draw({rows: range(speeds.length), cols: distances.map(short), value: of, most: 1, at: [pair, n], x_label: 'distance n', y_label: 'pair', version});
  };
  return {draw, elements: [curve.element, text, html('h4', {}, 'What each pair adds'), map.element]};
}

// A function of query and key: what is added to scores, or a product that does not depend on distance alone.
function pairPanel(section, name, factor) {
  const ones = section.encoding[name];
  const zero = section.encoding.causal ? 0 : section.encoding.length - 1;  // the index of distance 0
  let [zeros, drawn] = [false, []];
  const query = slider(section, 'query p', 'p');
  const curve = new Lines('By distance or key, for each head', ones.distances && ((i) => section.set({n: Math.abs(i - zero)})));
  const map = new Heatmap('By query and key', (r, c) => section.set({p: drawn[r], key: drawn[c]}));
  const text = readout();
  const {titles, element} = two(curve, map);
  const contents = section.encoding.bias_of_zeros && name === 'bias'
    ? [choice('queries and keys', ['numbers 1', 'numbers 0'], (i) => { zeros = i === 1; section.set({}); })] : [];
  const draw = (encoding, {p, key, head}) => {
    const {positions} = encoding;
    const pairs = zeros ? encoding.bias_of_zeros : ones;
    const heads = pairs.curves ?? pairs.matrices;
    const h = Math.min(head, heads.length - 1);
    const headName = (i) => pairs.same_heads ? 'all heads' : `head ${i + 1}`;
    drawn = pairs.drawn ?? range(encoding.length);
    const nearest = (i) => drawn.reduce((a, b) => Math.abs(b - i) < Math.abs(a - i) ? b : a);
    const [i, j] = [nearest(p), nearest(encoding.causal ? Math.min(key, nearest(p)) : key)];
    query.set(i, short(positions[i]));
    const byDistance = Boolean(pairs.distances);
    const byQuery = !byDistance && heads.every((one) => one.every((row) => row.every((v) => Math.abs(v - row[0]) < 1e-6)));
    titles[0].textContent = byDistance ? 'By distance' : byQuery ? 'By query' : `Of the query at position ${short(positions[i])}, by key`;
    titles[1].textContent = `By query and key, ${headName(h)}`;
    const line = (one) => byDistance ? one : drawn.map((_, r) => byQuery ? one[r][0] : one[drawn.indexOf(i)][r]);
    const x = pairs.distances ?? drawn.map((one) => positions[one]);
    curve.draw({series: heads.map((one, index) => ({name: headName(index), index, points: points(x, line(one).map((v) => v * factor))})), shape: tall,
      x_label: byDistance ? 'distance n' : byQuery ? 'query' : 'key', y_label: factor === 1 ? 'added' : 'q·k, share',
      chosen: byDistance ? i - j + zero : drawn.indexOf(byQuery ? i : j)});
    const value = (r, c) => encoding.sees(r, c) ? factor * encoding.of(pairs, drawn[r], drawn[c], h) : NaN;
    const names = drawn.map((one) => short(positions[one]));
    map.draw({rows: names, cols: names, value, most: factor * largest(heads[h].flat()), at: [drawn.indexOf(i), drawn.indexOf(j)], x_label: 'key',
      y_label: 'query', version: `${h},${zeros}`, square: true});
    text.textContent = `query ${short(positions[i])}, key ${short(positions[j])}, ${headName(h)}: ${short(factor * encoding.of(pairs, i, j, h))}`;
  };
  const heads = headChooser((ones.curves ?? ones.matrices).length, (head) => section.set({head}));
  return {draw, elements: [controls(...contents, ...heads, query), text, element]};
}

function attentionPanel(section) {
  if (!section.encoding.isWhole) return {draw: () => {}, elements: [hint('Not drawn: not all positions are on this page.')]};
  const query = slider(section, 'query p', 'p');
  const curve = new Lines('Attention by key');
  const text = readout();
  const draw = (encoding, {p}) => {
    const {positions} = encoding;
    const keys = range(encoding.causal ? p + 1 : encoding.length);
    const x = keys.map((j) => positions[j]);
    const shares = range(encoding.headCount).map((head) => softmax(keys.map((j) => encoding.score(p, j, head))));
    query.set(p, short(positions[p]));
    curve.draw({series: shares.map((share, head) => ({name: encoding.headName(head), index: head, points: points(x, share)})), x_label: 'key',
      y_label: 'attention', low: 0, dots: keys.length === 1 ? 2 : 0, guides: [{y: 1 / keys.length, text: 'the same for every key'}]});
    const most = Math.max(...shares[0]);
    text.textContent = `${encoding.headName(0)}: ` + (most - Math.min(...shares[0]) < 1e-6 ? `every key gets ${short(1 / keys.length)}`
      : `most to the key at position ${short(x[shares[0].indexOf(most)])} (${short(100 * most)} %)`);
  };
  return {draw, elements: [controls(query), curve.element, text]};
}

const panels = {
  input: inputPanel, offset: offsetPanel, waves: wavesPanel, angles: anglesPanel, distance: distancePanel, attention: attentionPanel,
  products: (section) => pairPanel(section, 'products', 1 / section.encoding.d_head),
  bias: (section) => pairPanel(section, 'bias', 1),
};

// ---- Sections ----

class Section {
  constructor(element) {
    this.element = element;
    this.encoding = new Encoding(data[element.dataset.encoding], +element.dataset.encoding);
    const last = this.encoding.length - 1;
    this.state = {p: Math.round(last * .4), n: Math.min(+element.dataset.offset, last), c: Math.min(4, this.encoding.d_model - 1), pair: 1, head: 0,
      key: Math.round(last * .3)};
    this.panels = all('.panel', element).map((panel) => {
      const made = panels[panel.dataset.panel](this);
      panel.append(...made.elements);
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
    if (!this.element.hidden) for (const panel of this.panels) panel.draw(this.encoding, this.state);
  }
}

// All encodings in one picture.
class Comparison {
  constructor(element, encodings) {
    Object.assign(this, {element, encodings, measure: 0, head: 0});
    const set = (change) => { Object.assign(this, change); this.draw(); };
    const measures = ['share of attention', 'score, least 0 and most 1', 'score'];
    const heads = Math.max(...encodings.map((one) => one.headCount));
    this.curve = new Lines('All encodings by distance');
    this.maps = encodings.filter((one) => one.isWhole && one.length <= 256).map((one) => ({one, map: new Heatmap(one.name)}));
    element.querySelector('.panel').append(
      controls(choice('measure', measures, (measure) => set({measure})), ...headChooser(heads, (head) => set({head}))), this.curve.element,
      html('h4', {}, 'Attention of each query, if all tokens are alike'),
      html('div', {class: 'three'}, ...this.maps.map(({one, map}) => html('div', {}, html('h4', {}, one.name), map.element))),
      hint('Colours are shares of what the most attended key of the same query gets. An encoding without heads of its own is the same for every ' +
        'head. Bases and widths that were changed in its section count here, too.'));
  }

  draw() {
    if (this.element.hidden) return;
    const tokens = range(Math.min(...this.encodings.map((one) => one.length)));
    const series = this.encodings.map((one) => {
      const scores = range(one.length).map((n) => one.score(one.length - 1, one.length - 1 - n, Math.min(this.head, one.headCount - 1)));
      return {name: one.name, index: one.index, points: points(tokens, this.measured(scores))};
    });
    this.curve.draw({series, x_label: 'tokens back', y_label: ['attention', 'scaled score', 'score'][this.measure], low: this.measure === 0 ? 0 : undefined});
    for (const {one, map} of this.maps) this.drawMap(one, map, Math.min(this.head, one.headCount - 1));
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

for (const words of all('.formula, section[data-encoding] > p, .facts dd, section[data-encoding] > .panel > *')) words.replaceChildren(...math(words.textContent));
const sections = all('section[data-encoding]').map((element) => new Section(element));
const together = document.getElementById('comparison');
if (together) sections.push(new Comparison(together, sections.map((section) => section.encoding)));
const links = document.querySelector('.chooser');
links?.append(html('a', {href: '#all'}, 'Everything'));

// The chooser shows one section at a time; #all shows all of them. The browser would scroll to the element with the id.
const places = new Map(all('main > section').map((section) => ['#' + section.id, section]));
for (const section of places.values()) section.removeAttribute('id');

function show() {
  const chosen = all('.chooser a').find((link) => link.hash === location.hash) ?? links?.firstElementChild;
  for (const link of all('.chooser a')) link.setAttribute('aria-current', link === chosen);
  for (const [hash, section] of places) section.hidden = Boolean(chosen) && !['#all', hash].includes(chosen.hash);
  // The controls of formulas stay in view below the chooser, unless it has many entries and scrolls away.
  const height = links && getComputedStyle(links).position === 'sticky' ? links.offsetHeight : 0;
  document.documentElement.style.setProperty('--bar', height + 'px');
  for (const section of sections) section.draw();
}

addEventListener('hashchange', () => { show(); scrollTo(0, 0); });
onChange(show);
show();
})();
