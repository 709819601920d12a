// Collects what a page complains about, from before its own script runs.
'use strict';
const complaints = [];
addEventListener('error', (event) => complaints.push(`error: ${event.message}`));
addEventListener('unhandledrejection', (event) => complaints.push(`rejection: ${event.reason}`));
addEventListener('securitypolicyviolation', (event) => complaints.push(`request: ${event.blockedURI}`));
for (const level of ['error', 'warn']) console[level] = (...words) => complaints.push(words.join(' '));
