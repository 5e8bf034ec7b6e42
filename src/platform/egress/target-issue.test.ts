import { describe, expect, it } from 'vitest';
import { targetIssue } from './target-issue.ts';

const REJECTED = {
  loopback: [
    '127.0.0.1',
    '127.255.255.254',
    'localhost',
    'localhost.',
    'api.localhost',
    'ⓛocalhost',
    '0.0.0.0',
    '[::1]',
    '[::]',
  ],
  'private networks': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'router.lan',
    'db.internal',
    'nas.home.arpa',
  ],
  'one label': ['intranet', 'metadata', 'postgres'],
  'link-local and metadata services': [
    '169.254.169.254',
    '169.254.170.2',
    'metadata.google.internal',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
  'shared and reserved ranges': [
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  'decimal, octal, hexadecimal and short spellings': [
    '2130706433',
    '0177.0.0.1',
    '017700000001',
    '0x7f.0.0.1',
    '0x7f000001',
    '127.1',
    '0',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
  ],
  'other digits, escapes and dots': ['１２７.0.0.1', '%31%32%37.0.0.1', '127。0。0。1', '127.0.0.1.', 'localhost..'],
  'IPv6: unique local, link-local, site-local, multicast': [
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  'IPv6 that leads to IPv4': [
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::1]',
  ],
  'unassigned IPv6': ['[2001:db8::1]', '[3fff::1]', '[100::1]', '[5f00::1]', '[4000::1]', '[1::1]'],
  'names in the form of an address': [
    '127.0.0.1.nip.io',
    '7f000001.nip.io',
    '10-0-0-1.sslip.io',
    'www-10-0-0-1.sslip.io',
    '--1.sslip.io',
    'app.localtest.me',
    'lvh.me',
    '10.0.0.1.example.com',
    'ip-10-0-0-1.example.com',
    'a.169.254.169.254.example.com',
    '8-8-8-8-10-0-0-1.example.com',
  ],
} as const;

const PUBLIC = [
  'example.com',
  'hooks.example.co.uk',
  'example.com.',
  'xn--bcher-kva.example',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '[2606:4700:4700::1111]',
  '[::ffff:8.8.8.8]',
  'ec2-54-12-3-4.compute-1.amazonaws.com',
  'v1-2-3.example.com',
  '999-999-999-999.example.com',
];

describe.each(Object.entries(REJECTED))('targetIssue rejects %s', (_, hosts) => {
  it.each(hosts)('%s', (host) => {
    expect(targetIssue(`https://${host}/hooks`, false)).toMatch(/must be a public (address|name)/);
    expect(targetIssue(`https://${host}:8443/hooks`, false)).toMatch(/must be a public (address|name)/);
  });
});

describe('targetIssue', () => {
  it.each(PUBLIC)('accepts %s', (host) => {
    expect(targetIssue(`https://${host}/hooks`, false)).toBeUndefined();
  });

  it('accepts the ports of web servers and no others', () => {
    expect(targetIssue('https://example.com:443/', false)).toBeUndefined();
    expect(targetIssue('https://example.com:8443/', false)).toBeUndefined();
    for (const port of [1, 22, 25, 80, 444, 5432, 6379, 8080, 65_535]) {
      expect(targetIssue(`https://example.com:${port}/`, false)).toBe('must have port 443 or 8443');
    }
  });

  it('rejects other protocols, credentials and malformed URLs', () => {
    expect(targetIssue('http://example.com/', false)).toBe('must be an https URL');
    expect(targetIssue('ftp://example.com/', false)).toBe('must be an https URL');
    expect(targetIssue('https://user:pw@example.com/', false)).toBe('must not carry credentials');
    expect(targetIssue('example.com', false)).toBe('is not a URL');
    expect(targetIssue('https://256.0.0.1/', false)).toBe('is not a URL');
  });

  it('accepts http, private addresses and any port when the setting allows it, but no other protocol', () => {
    expect(targetIssue('http://127.0.0.1:8080/hooks', true)).toBeUndefined();
    expect(targetIssue('https://10.0.0.1/', true)).toBeUndefined();
    expect(targetIssue('file:///etc/passwd', true)).toBe('must be an https URL');
  });
});
