// Looks through claims.html, and tells the page around it what it saw.
'use strict';
addEventListener('load', () => setTimeout(() => {
  const seen = [];
  const expect = (what, holds) => seen.push(`${holds ? 'ok' : 'FAILED'}: ${what}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.getClientRects().length > 0;
  const page = document.documentElement;
  const claims = all('.claim');

  expect(`a folded claim is less than a screen high: ${page.scrollHeight} of ${claims.length}`,
    claims.length > 50 && page.scrollHeight < 500 * claims.length);
  expect('with its sentence, its verdict and bars', claims.every((one) => ['b', '.bars'].every((part) =>
    shown(one.querySelector(`summary ${part}`)))));
  for (const claim of claims) claim.open = true;
  expect('unfolded, all of them fit', page.scrollWidth <= innerWidth && all('.claim, .claim *').every((one) =>
    one.getBoundingClientRect().right <= innerWidth));

  for (const name of ['verdict', 'paper', 'encoding']) {
    const select = document.querySelector(`[name=${name}]`);
    select.selectedIndex = 1;
    select.dispatchEvent(new Event('change'));
    const of = claims.filter((one) => one.dataset[name].split('\n').includes(select.value));
    expect(`those of ${name} ${select.value} can be chosen: ${of.length}`,
      of.length > 0 && of.length < claims.length && claims.every((one) => shown(one) === of.includes(one)));
    select.selectedIndex = 0;
    select.dispatchEvent(new Event('change'));
  }
  seen.push('visited all');
  parent.postMessage('\n' + seen.join('\n') + '\n', '*');
}, 300));
