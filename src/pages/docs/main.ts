import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

SwaggerUI({
  url: '/openapi.json',
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  // No validator of someone else is asked.
  validatorUrl: null,
  // Its colours have enough contrast.
  syntaxHighlight: { theme: 'obsidian' },
  // The library labels it for the eye only.
  onComplete: () => document.querySelector('#servers')?.setAttribute('aria-label', 'Server'),
});
