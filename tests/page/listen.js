// Collects what a page must not do, and has what the visits of both pages need. browse puts it before the page's own script.
'use strict';
const complaints = [];
addEventListener('error', (event) => complaints.push(`error: ${event.message}`));
addEventListener('unhandledrejection', (event) => complaints.push(`rejection: ${event.reason}`));
addEventListener('securitypolicyviolation', (event) => complaints.push(`request: ${event.blockedURI}`));
for (const level of ['error', 'warn']) console[level] = (...words) => complaints.push(words.join(' '));

const seen = [];
const expect = (what, holds) => seen.push(`${holds ? 'ok' : 'FAILED'}: ${what}`);
const every = (selector, root = document) => [...root.querySelectorAll(selector)];
const shown = (element) => element.getClientRects().length > 0;

// What holds of every page at the end; then writes into it what was seen.
function finish() {
  const {scrollWidth} = document.documentElement;
  expect('no picture holds a number that is none', !every('figure svg, main svg')
    .some((one) => /NaN|undefined|Infinity/.test(one.outerHTML.replace(/href="[^"]*"/g, ''))));
  expect(`the page is not wider than the screen: ${scrollWidth} of ${innerWidth}`, scrollWidth <= innerWidth);
  expect('every control has a name', every('button, select, input, [tabindex]').every((control) =>
    control.textContent.trim() || control.labels?.[0]?.textContent.trim() || control.getAttribute('aria-label')));
  expect('nothing is loaded', performance.getEntriesByType('resource').every((one) => one.name.startsWith('data:')));
  expect(`nothing is complained about ${complaints.join('; ')}`, complaints.length === 0);
  seen.push('visited all');
  document.body.append(Object.assign(document.createElement('pre'), {id: 'seen', textContent: '\n' + seen.join('\n') + '\n'}));
}
