import { expect, it } from 'vitest';
import { histogramText, metricText } from './prometheus-text.ts';

it('a metric has its help, its type and a line for each sample, with what must be escaped', () => {
  const help = 'Back\\slash and\nline';
  const samples = [{ value: 1.5 }, { labels: { chain_id: '43114', text: 'a"b\\c\nd' }, value: 1e21 }];
  expect(metricText('nft_x', { type: 'gauge', help }, samples).split('\n')).toEqual([
    '# HELP nft_x Back\\\\slash and\\nline',
    '# TYPE nft_x gauge',
    'nft_x 1.5',
    'nft_x{chain_id="43114",text="a\\"b\\\\c\\nd"} 1e+21',
  ]);
});

it('a metric without samples is still named', () => {
  expect(metricText('nft_x', { type: 'counter', help: 'X' }, [])).toBe('# HELP nft_x X\n# TYPE nft_x counter');
});

it('the buckets of a histogram count what is below them too, and the last one everything', () => {
  const buckets = [
    { le: Infinity, count: 1 },
    { le: 0.5, count: 2 },
    { le: 0.1, count: 4 },
  ];
  expect(
    histogramText('nft_s', 'S', [0.1, 0.25, 0.5], [{ labels: { route: '/a' }, buckets, sum: 7.25 }]).split('\n'),
  ).toEqual([
    '# HELP nft_s S',
    '# TYPE nft_s histogram',
    'nft_s_bucket{route="/a",le="0.1"} 4',
    'nft_s_bucket{route="/a",le="0.25"} 4',
    'nft_s_bucket{route="/a",le="0.5"} 6',
    'nft_s_bucket{route="/a",le="+Inf"} 7',
    'nft_s_sum{route="/a"} 7.25',
    'nft_s_count{route="/a"} 7',
  ]);
});
