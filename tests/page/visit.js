// Clicks through a report, and tells the page around it what it saw.
'use strict';
addEventListener('load', () => setTimeout(() => {
  const seen = [];
  const expect = (what, holds) => seen.push(`${holds ? 'ok' : 'FAILED'}: ${what}`);
  const $ = (selector) => document.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const shown = (element) => element.getClientRects().length > 0;
  const [tables, curves, gallery] = all('.choose');
  const parts = (group) => [...group.children].filter(shown);
  const pick = (group, name, index) => {
    const select = group.previousElementSibling.querySelector(`[name=${name}]`);
    select.selectedIndex = index;
    select.dispatchEvent(new Event('change'));
  };
  const table = $('tr[data-row]').closest('table');
  const column = (i) => all('tr[data-row]', table).map((row) => row.cells[i].innerText.split('\n')[0]);

  expect('the question, the answer and the curve are on the first screen',
    ['h1', '.answer', '.chart svg'].every((one) => $(one).getBoundingClientRect().bottom <= innerHeight));
  const longest = table.tHead.rows[0].cells[table.tHead.rows[0].cells.length - 1].getBoundingClientRect();
  expect(`the longest length is visible: ${longest.left} to ${longest.right}`, longest.left >= 0 && longest.right <= innerWidth);

  const pairs = $('.pairs table');
  expect('all pairs are shown, and fit', shown(pairs) && pairs.getBoundingClientRect().right <= innerWidth);

  // ---- Choose ----
  expect('one table is shown, the headline', tables.children.length > 2 && parts(tables).length === 1 && shown(table));
  pick(tables, 'table', 2);
  expect('another one can be chosen', parts(tables).length === 1 && shown(tables.children[1]));
  pick(tables, 'table', 0);
  expect('or all', parts(tables).length === tables.children.length);
  pick(tables, 'table', 1);
  expect('one of the other curves is shown', curves.children.length > 1 && parts(curves).length === 1);
  const some = parts(gallery).length;
  expect(`attention at the longest length is shown, of each row that runs there: ${some}`, some === 2 &&
    parts(gallery).every(({dataset}) => dataset.picture === 'attention' && dataset.length === '64' && dataset.layer === '2'));
  pick(gallery, 'row', 1);
  expect('those of one row can be chosen', parts(gallery).length === 1);
  pick(gallery, 'row', 0);
  pick(gallery, 'picture', 0);
  pick(gallery, 'length', 0);
  pick(gallery, 'layer', 0);
  expect('or all pictures', parts(gallery).length === gallery.children.length);

  // ---- Hide ----
  const entry = $('.legend [data-row=alibi] button');
  const others = all('[data-row]:not(li)').filter(({dataset}) => dataset.row !== 'alibi');
  entry.click();
  expect('the legend hides a row in curves, tables and pictures', ['g', 'tr', 'figure'].every((name) =>
    $(`${name}[data-row=alibi]`) && !all(`${name}[data-row=alibi]`).some(shown)));
  expect('and no other', !others.some((one) => one.matches('.off')));
  expect('and all legends say so', all('.legend [data-row=alibi] button').every((one) => one.getAttribute('aria-pressed') === 'false'));
  entry.click();
  expect('and shows it again', shown($('tr[data-row=alibi]')) && entry.getAttribute('aria-pressed') === 'true');

  // ---- Sort ----
  const heads = [...table.tHead.rows[0].cells];
  const sort = (head) => head.querySelector('button').click();
  sort(heads[0]);
  expect(`a column sorts: ${column(0)}`, column(0).join() === 'alibi,learned,sinusoidal' && heads[0].getAttribute('aria-sort') === 'ascending');
  sort(heads[0]);
  expect('downwards, too', column(0).join() === 'sinusoidal,learned,alibi' && heads[0].getAttribute('aria-sort') === 'descending');
  sort(heads.at(-1));
  const numbers = column(heads.length - 1).map(parseFloat);
  expect(`numbers as numbers, and what has none last: ${numbers}`, numbers[0] < numbers[1] && Number.isNaN(numbers[2]) && !heads[0].hasAttribute('aria-sort'));
  expect('baselines stay below', all('.reference', table).length > 0 && [...table.tBodies[0].rows].slice(3).every((row) => row.matches('.reference')));

  const {scrollWidth} = document.documentElement;
  expect('no picture holds a number that is none', !all('svg').some((one) => /NaN|nan|undefined|Infinity|inf/.test(one.outerHTML)));
  expect(`the page is not wider than the screen: ${scrollWidth} of ${innerWidth}`, scrollWidth <= innerWidth);
  expect('every column under other conditions is seen', all('body > .scroll').every((one) => one.scrollWidth <= one.clientWidth));
  expect('every control has a name', all('button, select').every((control) =>
    (control.matches('button') ? control : control.labels[0].firstChild).textContent.trim()));
  expect('nothing is loaded', performance.getEntriesByType('resource').length === 0);
  expect(`nothing is complained about ${complaints.join('; ')}`, complaints.length === 0);
  seen.push('visited all');
  parent.postMessage('\n' + seen.join('\n') + '\n', '*');
}, 300));
