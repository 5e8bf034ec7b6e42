import type { RouteConfig } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type InputIssue, invalidInput, issuesOf, listedIssues } from '../core/domain-error.ts';
import { unknownName } from '../core/validation-messages.ts';
import { repeatedMember } from '../core/repeated-member.ts';
import { namedChainIssues } from '../chains/allowed-chain.ts';
import type { Chains } from '../chains/client.ts';

/** The parts of a request in the order in which the framework validates them. It stops at the first with a fault. */
const PARTS = ['query', 'param', 'header', 'json'] as const;

type Part = (typeof PARTS)[number];

/** A part of a request as the framework has validated it; without an error, it is valid. */
interface Validated {
  readonly target: string;
  readonly error?: z.ZodError;
}

/**
 * The issues of a part of a request that the framework does not see, because its parsers drop what they are about: a
 * query parameter without a name, and a member of an object that comes twice.
 */
export async function unseenIssues(target: string, route: RouteConfig, c: Context): Promise<InputIssue[]> {
  if (target === 'query') {
    const isNameless = hasKey(route) && new URL(c.req.url).searchParams.has('');
    return isNameless ? [unknownName('', [], nounOf(target))] : [];
  }
  if (target !== 'json' || !isJson(c)) return [];
  const path = repeatedMember(await c.req.text());
  return path === undefined ? [] : listedIssues([{ path, message: 'can only be given once', code: 'not_allowed' }]);
}

/** Whether a route needs a key. */
export function hasKey({ security }: RouteConfig): boolean {
  return security !== undefined && security.length > 0;
}

/**
 * Refuses invalid input with every issue, of the part in which one was found and of those after it.
 * @param unseen The {@link unseenIssues} of that part.
 * @param chains The chains that a body may name.
 */
export async function refuseForm(
  route: RouteConfig,
  { target, error }: Validated,
  unseen: readonly InputIssue[],
  { c, chains }: { readonly c: Context; readonly chains: Chains },
): Promise<never> {
  const found = PARTS.findIndex((part) => part === target);
  const later = await Promise.all(PARTS.slice(found + 1).map((part) => issuesIn(part, route, c)));
  const seen = error === undefined ? [] : issuesOf(error, nounOf(target));
  const issues = seen.map((issue) => (target === 'query' ? ofQuery(issue, c) : issue));
  const all = [...issues, ...unseen, ...later.flat()];
  const schema = jsonSchemaOf(route.request?.body);
  // Metadata has a form of its own.
  const isOther = schema === undefined || schema instanceof z.ZodUnknown;
  throw invalidInput([...(isOther ? [] : namedChainIssues(chains, await readJson(c), all)), ...all]);
}

async function issuesIn(part: Part, route: RouteConfig, c: Context): Promise<InputIssue[]> {
  const { params, headers, body } = route.request ?? {};
  if (part === 'param') return check(params, c.req.param(), part);
  if (part === 'header') return check(headers, c.req.header(), part);
  if (part === 'query') return [];
  const json = await readJson(c);
  if (json === undefined) return [];
  return [...(await check(jsonSchemaOf(body), json, part)), ...(await unseenIssues(part, route, c))];
}

function isJson(c: Context): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(c.req.header('content-type') ?? '');
}

/** The body; undefined if it is no JSON, which is refused once the rest is right. */
async function readJson(c: Context): Promise<unknown> {
  if (!isJson(c)) return undefined;
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
  return isRepeated ? { ...issue, message: 'can only be given once' } : issue;
}

function nounOf(target: string): string {
  return target === 'query' ? 'query parameter' : 'field';
}

const noParameters = z.strictObject({});

/** Refuses every query parameter, as the routes do that the router mounts by their definition. */
export const refuseQuery: MiddlewareHandler = async ({ req }, next) => {
  const { error } = noParameters.safeParse(Object.fromEntries(new URL(req.url).searchParams));
  if (error !== undefined) throw invalidInput(issuesOf(error, 'query parameter'));
  await next();
};
