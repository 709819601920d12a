// Moves sliders and changes bases on explorer.html, and writes into the page what it saw. `expected` holds the numbers of the
// library for base 500 and a width of 32.
'use strict';
addEventListener('load', () => setTimeout(async () => {
  window.requestAnimationFrame = (draw) => setTimeout(draw);  // with virtual time there are hardly any frames
  const drawn = () => new Promise((done) => setTimeout(done, 20));
  const numbers = JSON.parse(document.getElementById('data').textContent);
  const section = (name) => every('main > section').find((one) => one.querySelector('h2').textContent === name);
  const panel = (name, kind) => section(name).querySelector(`[data-panel=${kind}]`);
  const readout = (name, kind) => panel(name, kind).querySelector('.readout').textContent;
  const picture = (name, kind) => panel(name, kind).querySelector('.plot svg');
  const near = (a, b) => Math.abs(a - b) < 2e-5;
  const slide = async (input, value) => { input.value = value; input.dispatchEvent(new Event('input')); await drawn(); };
  const type = async (input, value) => { input.value = value; input.dispatchEvent(new Event('change')); await drawn(); };
  const press = async (element, key) => { element.dispatchEvent(new KeyboardEvent('keydown', {key})); await drawn(); };
  const visit = async (name) => { every('.chooser a').find((link) => link.textContent === name).click(); await drawn(); };
  const value = (text) => parseFloat(text.replace('−', '-'));

  const ofPage = async () => {
    expect('the chooser shows the first section alone', every('main > section').filter(shown).length === 1 && shown(section('sinusoidal')));

    const words = every('.formula, .facts dd').map((one) => one.innerHTML).join(' ');
    expect('indices are lowered and exponents raised, but not in names', words.includes('ω<sub>i</sub>') &&
      /base<sup>-2i\/d/.test(words) && !/ω_i|\^/.test(words) && words.includes('d_model'));

    // ---- A cursor on the matrix ----
    const {input, positions} = numbers[0];
    const cell = () => /position (\d+), dimension (\d+): (−?[\d.]+)/.exec(readout('sinusoidal', 'input'));
    const [, p, c, v] = cell();
    expect(`the value under the cursor: ${readout('sinusoidal', 'input')}`, Math.abs(value(v) - input[p][c]) < 1e-3);
    await press(picture('sinusoidal', 'input'), 'ArrowRight');
    await press(picture('sinusoidal', 'input'), 'ArrowDown');
    const [, q, d, w] = cell();
    expect(`arrow keys move it: ${cell()[0]}`, +q === +p + 1 && +d === +c + 1 && Math.abs(value(w) - input[q][d]) < 1e-3);
    const map = picture('sinusoidal', 'input').querySelector('.map').getBoundingClientRect();
    picture('sinusoidal', 'input').dispatchEvent(new PointerEvent('pointermove', {clientX: map.x + 1, clientY: map.y + 1, bubbles: true}));
    await drawn();
    expect('so does the mouse', +cell()[1] === 0 && +cell()[2] === 0);
    expect('row and column are drawn as curves', every('.two .line', panel('sinusoidal', 'input')).length === 3);

    // ---- An offset ----
    const [k, at] = every('input[type=range]', panel('sinusoidal', 'offset'));
    await slide(at, 3);
    await slide(k, 7);
    const product = input[3].reduce((sum, x, i) => sum + x * input[10][i], 0);
    const text = readout('sinusoidal', 'offset');
    expect(`the product at an offset: ${text}`, text.startsWith('PE(3)·PE(10) = ') && Math.abs(value(text.split(' = ')[1]) - product) < .01);
    expect('M_k takes a row to the next', /M7 PE\(p\) misses PE\(p \+ 7\) by no more than rounding/.test(text));
    expect('M_k of a random table misses', missed(numbers[5].input, 7, rotations(numbers[5].input, 7)) > .05);
    expect('the blocks of M_k hold cos and sin of k ω', frequencies(64, 10000).every((speed, i) => {
      const {cos, sin} = rotations(input, 7)[i];
      return near(cos, Math.cos(7 * speed)) && near(sin, Math.sin(7 * speed));
    }));

    // ---- The formulas, against the library ----
    const [sines, rope, xpos] = expected;
    const rows = sinusoids(positions, 32, 500);
    expect('PE(p) is that of the library', sines.input.length === 48 && sines.input.every((row, t) => row.every((x, i) => near(x, rows[t][i]))));
    const turns = {...numbers[1].rotary, base: 500, width: 8};
    expect('so are the products of rope', rope.products.curves[0].every((x, n) => near(x, rotaryProduct(turns, n))));
    const fading = {...numbers[2].rotary, base: 500, width: 8};
    expect('and of xpos', xpos.rotary.scale === fading.scale && xpos.products.curves[0].every((x, n) => near(x, rotaryProduct(fading, n))));

    // ---- Base and width ----
    const [base, width] = every('.formula-controls input[type=number]', section('sinusoidal'));
    await type(base, 500);
    await type(width, 32);
    await press(picture('sinusoidal', 'input'), 'ArrowDown');
    for (let i = 0; i < 3; ++i) await press(picture('sinusoidal', 'input'), 'ArrowRight');
    const [, r, e, x] = cell();
    expect(`another base and width change the matrix: ${cell()[0]}`, Math.abs(value(x) - sines.input[r][e]) < 1e-3 && Math.abs(value(x) - input[r][e]) > 1e-3);
    const count = panel('sinusoidal', 'waves').querySelectorAll('circle').length;
    expect(`and the wavelengths: ${count} pairs`, count === 16);
    await slide(section('sinusoidal').querySelector('.formula-controls input[type=range]'), 3);
    expect('the slider sets the base', base.value === '1000');
    section('sinusoidal').querySelector('.formula-controls button').click();
    await drawn();
    expect('and back', base.value === '10000' && width.value === '64' && Math.abs(value(cell()[3]) - input[cell()[1]][cell()[2]]) < 1e-3);

    // ---- The other sections ----
    await visit('rope');
    expect('the chooser shows another section', shown(section('rope')) && !shown(section('sinusoidal')));
    const n = every('input[type=range]', panel('rope', 'angles'))[1];
    await slide(n, 9);
    const share = numbers[1].products.curves[0][9] / numbers[1].d_head;
    expect(`a distance: ${readout('rope', 'distance')}`, readout('rope', 'distance').startsWith('n = 9: ') &&
      Math.abs(value(readout('rope', 'distance').slice(7)) - share) < 1e-3);
    await visit('alibi');
    const head = panel('alibi', 'bias').querySelector('select');
    head.selectedIndex = 1;
    head.dispatchEvent(new Event('change'));
    await drawn();
    const [, query, key, added] = /query (\d+), key (\d+), head 2: (−?[\d.]+)/.exec(readout('alibi', 'bias'));
    expect(`a bias: ${readout('alibi', 'bias')}`, Math.abs(value(added) + (query - key) / 16) < 1e-3);
    expect('a curve for each head', panel('alibi', 'bias').querySelectorAll('.series').length === 4);
    await visit('none');
    await slide(panel('none', 'attention').querySelector('input'), 9);
    expect(`without an encoding all keys are equal: ${readout('none', 'attention')}`, readout('none', 'attention').endsWith('every key gets 0.1'));
    await visit('Side by side');
    const lines = () => every('[data-panel=comparison] .series').length;
    expect(`all encodings in one picture: ${lines()}`, lines() === numbers.length);
    const before = picture('Side by side', 'comparison').innerHTML;
    every('[data-panel=comparison] input')[2].click();
    await drawn();
    expect('another measure is another picture', lines() === numbers.length && picture('Side by side', 'comparison').innerHTML !== before);
    await visit('Everything');
    expect('everything at once', every('main > section').every(shown) && every('.panel').every((one) => shown(one) && one.querySelector('svg, .hint')));
  };

  if (numbers[0].trained) {
    expect('a trained encoding has no base to change', every('.formula-controls').length === 0);
    expect('and its pictures', every('.panel .plot svg').every((one) => one.childNodes.length > 0));
  } else {
    await ofPage().catch((error) => expect(error.stack, false));
  }
  finish();
}, 300));
