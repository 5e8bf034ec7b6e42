/** The documents that the site shows, by their place in the sidebar: file, and its short title. */
export const GUIDES: Readonly<Record<'partners' | 'holders' | 'operators' | 'contributors', readonly Guide[]>> = {
  partners: [
    { file: 'docs/partner-guide.md', label: 'Partner guide' },
    { file: 'docs/guide.md', label: 'Complete programs' },
    { file: 'docs/portal.md', label: 'Portal' },
    { file: 'docs/webhooks.md', label: 'Webhooks' },
    { file: 'docs/metadata.md', label: 'Metadata' },
    { file: 'docs/assets.md', label: 'Assets' },
    { file: 'docs/gasless.md', label: 'Gasless requests' },
    { file: 'docs/certificates.md', label: 'Certificates' },
    { file: 'docs/gate.md', label: 'Gates' },
    { file: 'docs/keys.md', label: 'Keys' },
    { file: 'docs/approvals.md', label: 'Approvals' },
    { file: 'docs/api.md', label: 'Rules of the API' },
    { file: 'docs/errors.md', label: 'Errors' },
    { file: 'docs/mistakes.md', label: 'Common mistakes' },
  ],
  holders: [
    { file: 'docs/certificate-check.md', label: 'Check a certificate' },
    { file: 'docs/contracts.md', label: 'Contracts' },
  ],
  operators: [
    { file: 'docs/operations.md', label: 'Operations' },
    { file: 'docs/console.md', label: 'Console' },
    { file: 'docs/monitoring.md', label: 'Monitoring' },
    { file: 'docs/security.md', label: 'Security' },
    { file: 'docs/audit.md', label: 'Audit log' },
    { file: 'docs/capacity.md', label: 'Capacity and costs' },
  ],
  contributors: [
    { file: 'docs/architecture.md', label: 'Architecture' },
    { file: 'docs/engine.md', label: 'Engine' },
    { file: 'docs/reliability.md', label: 'Reliability' },
    { file: 'docs/benchmarks.md', label: 'Benchmarks' },
    { file: 'docs/dependencies.md', label: 'Dependencies' },
    { file: 'docs/decisions/README.md', label: 'Decisions' },
  ],
};

export interface Guide {
  readonly file: string;
  readonly label: string;
}

/** Files that are shown as they are: what documents link to, and a reader copies. */
export const PROGRAM = /^docs\/(?:programs\/)?[\w-]+\.(?:sh|ts|mts|mjs|py|html|yml)$/;

/** The path of a document in docs/. */
export function pathOfGuide(file: string): string {
  return `/${file.replace(/(?:\/README)?\.md$/, '')}`;
}

/** The path of a file's page on the site; undefined if it has none. @param file From the root of the repository. */
export function pathOfFile(file: string): string | undefined {
  if (file === 'README.md') return '/';
  if (file === 'CHANGELOG.md') return '/docs/changelog';
  if (PROGRAM.test(file)) return `/${file}`;
  return file.startsWith('docs/') && file.endsWith('.md') ? pathOfGuide(file) : undefined;
}
