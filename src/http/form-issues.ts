import type { Hook, RouteConfig } from '@hono/zod-openapi';
import type { Context, Env } from 'hono';
import { z } from 'zod';
import { invalidInput, issuesOf, type InputIssue } from '../core/domain-error.ts';
import { namedChainIssues } from '../chains/allowed-chain.ts';
import type { Chains } from '../chains/client.ts';

/** The parts of a request in the order in which the framework validates them. It stops at the first with a fault. */
const PARTS = ['query', 'param', 'header', 'json'] as const;

type Part = (typeof PARTS)[number];

/**
 * Refuses invalid input with every issue, of the part in which the framework has found one and of those after it.
 * @param chainsOf The chains that a body may name.
 */
export function refuseForm<E extends Env>(
  route: RouteConfig,
  chainsOf: (c: Context<E>) => Chains,
): Hook<unknown, E, string, Promise<never> | undefined> {
  return (result, c) => (result.success ? undefined : refuse(route, result, { c, chains: chainsOf(c) }));
}

async function refuse(
  route: RouteConfig,
  { target, error }: { readonly target: string; readonly error: z.ZodError },
  { c, chains }: { readonly c: Context; readonly chains: Chains },
): Promise<never> {
  const found = PARTS.findIndex((part) => part === target);
  const later = await Promise.all(PARTS.slice(found + 1).map((part) => issuesIn(part, route, c)));
  const issues = issuesOf(error, nounOf(target)).map((issue) => (target === 'query' ? ofQuery(issue, c) : issue));
  const all = [...issues, ...later.flat()];
  const schema = jsonSchemaOf(route.request?.body);
  // Metadata has a form of its own.
  const isOther = schema === undefined || schema instanceof z.ZodUnknown;
  throw invalidInput([...(isOther ? [] : namedChainIssues(chains, await jsonOf(c), all)), ...all]);
}

async function issuesIn(part: Part, { request }: RouteConfig, c: Context): Promise<InputIssue[]> {
  const { params, headers, body } = request ?? {};
  if (part === 'param') return check(params, c.req.param(), part);
  if (part === 'header') return check(headers, c.req.header(), part);
  if (part === 'query') return [];
  const json = await jsonOf(c);
  return json === undefined ? [] : check(jsonSchemaOf(body), json, part);
}

/** The body; undefined if it is no JSON, which is refused once the rest is right. */
async function jsonOf(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) return undefined;
  try {
    return await c.req.json();
  } catch {
    return undefined;
  }
}

function jsonSchemaOf(body: NonNullable<RouteConfig['request']>['body']): unknown {
  const content = body?.content['application/json'];
  return content !== undefined && 'schema' in content ? content.schema : undefined;
}

async function check(schema: unknown, value: unknown, part: Part): Promise<InputIssue[]> {
  if (!(schema instanceof z.ZodType)) return [];
  const { error } = await schema.safeParseAsync(value);
  return error === undefined ? [] : issuesOf(error, nounOf(part));
}

/** A parameter that is given twice is a list, to the framework. */
function ofQuery(issue: InputIssue, c: Context): InputIssue {
  const isRepeated = issue.code === 'wrong_type' && (c.req.queries(issue.path)?.length ?? 0) > 1;
  return isRepeated ? { ...issue, message: 'may be given once' } : issue;
}

function nounOf(target: string): string {
  return target === 'query' ? 'query parameter' : 'field';
}
