// Clicks through a report, and writes into the page what it saw.
'use strict';
addEventListener('load', () => setTimeout(() => {
  const $ = (selector) => document.querySelector(selector);
  const all = every;
  const main = $('#figure-main');
  const plot = main.querySelector('.plot svg');
  const tip = main.querySelector('.tip');
  const press = (key) => plot.dispatchEvent(new KeyboardEvent('keydown', {key}));
  const choose = (text) => all('.controls label').find((label) => label.textContent === text).querySelector('input').click();
  const lines = () => [...main.querySelectorAll('.series')].map((line) => line.dataset.name).join();
  const table = $('tr[data-row]').closest('table');
  const column = (i) => [...table.querySelectorAll('tr[data-row]')].map((row) => row.cells[i].innerText.split('\n')[0]);

  expect('the question, the answer and the curve are on the first screen',
    ['h1', '.answer', '.plot svg'].every((one) => $(one).getBoundingClientRect().bottom <= innerHeight));
  expect('every row has a curve', lines() === 'sinusoidal,learned,alibi');

  const marks = main.querySelectorAll('[data-name=alibi] circle');
  const mark = marks[2].getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent('pointermove',
    {clientX: mark.x + mark.width / 2, clientY: mark.y + mark.height / 2, pointerType: 'mouse'}));
  const text = tip.innerText;
  const cell = $('tr[data-row=alibi]').cells;
  expect(`hovering shows the value of the table: ${text.replace(/\n/g, ' | ')}`, shown(tip) &&
    /length 64 \(4x\)/.test(text) && text.includes(cell[cell.length - 1].innerText.split('\n')[0]));
  expect('hovering shows each seed', /seed 1: \d/.test(text) && /seed 2: \d/.test(text));
  plot.dispatchEvent(new PointerEvent('pointerleave', {pointerType: 'mouse'}));
  expect('leaving hides it', !shown(tip));

  plot.focus();
  expect('focus shows a value', shown(tip));
  const before = tip.innerText;
  press('ArrowLeft');
  expect('an arrow key shows another one', shown(tip) && tip.innerText !== before);
  press('Escape');
  expect('escape hides it', !shown(tip));

  $('.legend [data-toggle=alibi]').click();
  expect('the legend hides a row in the curve', lines() === 'sinusoidal,learned');
  expect('and in the tables', all('tr[data-row=alibi]').length > 1 && all('tr[data-row=alibi]').every((row) => !shown(row)));
  expect('and says so', shown($('.bar')) && $('.legend [data-toggle=alibi]').getAttribute('aria-pressed') === 'false');
  $('.legend [data-toggle=alibi]').click();
  expect('and shows it again', lines() === 'sinusoidal,learned,alibi' && shown($('tr[data-row=alibi]')) && !shown($('.bar')));
  $('tr[data-row=learned] td').click();
  expect('a click on a row of a table hides it', lines() === 'sinusoidal,alibi' && !shown($('tr[data-row=learned]')));
  $('.bar button:last-child').click();
  expect('"show all" shows it again', lines() === 'sinusoidal,learned,alibi');

  const tables = all('#tables > div');
  const shownTables = () => tables.filter(shown).length;
  const chooser = $('#tables').previousElementSibling.querySelector('select');
  expect('one table is shown', tables.length > 3 && shownTables() === 1 && shown(tables[0]));
  chooser.selectedIndex = 2;
  chooser.dispatchEvent(new Event('change'));
  expect('another one can be chosen', shownTables() === 1 && shown(tables[2]));
  chooser.selectedIndex = 0;
  chooser.dispatchEvent(new Event('change'));

  const head = table.tHead.rows[0].cells[0];
  head.querySelector('button').click();
  expect(`a column sorts: ${column(0)}`, column(0).join() === 'alibi,learned,sinusoidal' && head.getAttribute('aria-sort') === 'ascending');
  head.querySelector('button').click();
  expect('downwards, too', column(0).join() === 'sinusoidal,learned,alibi' && head.getAttribute('aria-sort') === 'descending');
  const last = table.tHead.rows[0].cells.length - 1;
  table.tHead.rows[0].cells[last].querySelector('button').click();
  const numbers = column(last).map(parseFloat);
  expect(`numbers as numbers, and what has none last: ${column(last).join(' | ')}`,
    numbers.every((x, i) => i === 0 || numbers[i - 1] <= x || Number.isNaN(x)) && Number.isNaN(numbers[2]) && !head.hasAttribute('aria-sort'));

  const ticks = () => [...main.querySelectorAll('.tick')].map((tick) => tick.textContent).join();
  const linear = ticks();
  choose('log');
  expect('the scale can be logarithmic', ticks() !== linear);
  choose('linear');
  choose('past the training length');
  expect('only lengths past the training length', main.querySelectorAll('[data-name=alibi] circle').length === 2);
  choose('all lengths');
  expect('all lengths', main.querySelectorAll('[data-name=alibi] circle').length === 3 && ticks() === linear);

  for (const name of ['training', 'by_position'])
    expect(`${name}: a curve for each row`, all(`#figure-${name} .line`).length === 3 && shown($(`#figure-${name} .legend`)));

  const pictures = () => all('.gallery figure').filter(shown).length;
  const some = pictures();
  const figure = all('.gallery figure').find(shown);
  const map = figure.querySelector('.map').getBoundingClientRect();
  figure.querySelector('.plot svg').dispatchEvent(new PointerEvent('pointermove', {clientX: map.x + 1, clientY: map.y + 1, pointerType: 'mouse'}));
  const value = [...figure.querySelector('.tip').children].map((one) => one.textContent);
  expect(`a heatmap shows its values: ${value.join(' | ')}`, /^query 0(–\d+)?, key 0(–\d+)?$/.test(value[0]) && parseFloat(value[1]) > 0);
  figure.querySelector('.plot svg').dispatchEvent(new PointerEvent('pointerleave', {pointerType: 'mouse'}));
  expect('leaving it hides them', !shown(figure.querySelector('.tip')) && figure.querySelector('.cross') === null);
  const rows = all('.controls select').find((select) => select.parentElement.textContent.startsWith('row'));
  rows.selectedIndex = 1;
  rows.dispatchEvent(new Event('change'));
  expect(`a chooser leaves ${pictures()} of ${some} pictures`, pictures() > 0 && pictures() < some);
  const kinds = all('.controls select').find((select) => select.parentElement.textContent.startsWith('picture'));
  for (const [i, option] of [...kinds.options].entries()) {
    kinds.selectedIndex = i;
    kinds.dispatchEvent(new Event('change'));
    expect(`pictures are drawn when they are chosen: ${option.text}`, all('.gallery figure').filter(shown).every((one) => one.querySelector('.map, .line')));
  }
  finish();
}, 300));
