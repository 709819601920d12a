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
  const bars = all('.claim summary .bars');
  expect(`with its verdict, and bars if it has scores: ${bars.length}`,
    claims.every((one) => shown(one.querySelector('summary b'))) && bars.length > 50 && bars.every(shown));
  const color = (verdict) => getComputedStyle(document.querySelector(`[data-verdict^="${verdict}"] summary b`)).color;
  expect('in colors', color('holds') !== color('not rep') && color('undecided') !== color('not rep'));
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
  expect('nothing is loaded', performance.getEntriesByType('resource').length === 0);
  expect(`nothing is complained about ${complaints.join('; ')}`, complaints.length === 0);
  seen.push('visited all');
  parent.postMessage('\n' + seen.join('\n') + '\n', '*');
}, 300));
