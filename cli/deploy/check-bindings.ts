import type { Configuration } from './deployment.ts';
import { type Finding, missing } from './finding.ts';

const EDIT = 'edit wrangler.toml';

/**
 * Checks what wrangler.toml declares: nobody can call the core past the edge, each queue is sent to and consumed, each
 * Durable Object class is created by a migration, the cleanup job runs, and both environments have the same bindings
 * and share no rate-limit counter.
 * @param other The other environment, which inherits no bindings.
 */
export function checkBindings(configuration: Configuration, other: Configuration): Finding[] {
  const issues = [
    ...exposureIssues(configuration),
    ...queueIssues(configuration),
    ...classIssues(configuration),
    ...counterIssues(configuration, other),
    ...bindingsOf(other)
      .filter((name) => !bindingsOf(configuration).includes(name))
      .map((name) => `The binding ${name} is missing; the other environment has it`),
    ...(configuration.triggers.crons.length === 0
      ? ['No cron trigger runs the cleanup job, which finds work whose queue message was lost']
      : []),
  ];
  return issues.map((issue) => missing(issue, EDIT));
}

/** What would give the core a public URL: it takes a caller's address from the edge. */
function exposureIssues({ workers_dev, preview_urls, route, routes }: Configuration): string[] {
  return [
    ...(workers_dev === false ? [] : ['workers_dev is not false']),
    ...(preview_urls === false ? [] : ['preview_urls is not false']),
    ...(route === undefined && routes.length === 0 ? [] : ['The core has routes; the domain is given with --domain']),
  ].map((issue) => `${issue}: callers would reach the core without the edge`);
}

function bindingsOf({ queues, durable_objects, ratelimits }: Configuration): string[] {
  return [
    ...queues.producers.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name }) => name),
    ...ratelimits.map(({ name }) => name),
  ];
}

/** @returns the names of the queues that are sent to. */
export function queuesOf({ queues }: Configuration): string[] {
  return queues.producers.map(({ queue }) => queue);
}

function queueIssues(configuration: Configuration): string[] {
  const produced = new Set(queuesOf(configuration));
  const consumed = new Set(configuration.queues.consumers.map(({ queue }) => queue));
  return [
    ...[...produced].filter((queue) => !consumed.has(queue)).map((queue) => `The queue ${queue} has no consumer`),
    ...[...consumed].filter((queue) => !produced.has(queue)).map((queue) => `The queue ${queue} has no producer`),
  ];
}

function classIssues({ durable_objects, migrations }: Configuration): string[] {
  const classes = new Set<string>();
  for (const step of migrations) {
    for (const name of [...step.new_classes, ...step.new_sqlite_classes]) classes.add(name);
    for (const { from, to } of step.renamed_classes) {
      classes.delete(from);
      classes.add(to);
    }
    for (const name of step.deleted_classes) classes.delete(name);
  }
  return durable_objects.bindings
    .filter(({ class_name: name }) => !classes.has(name))
    .map(({ class_name: name }) => `No migration creates the Durable Object class ${name}`);
}

/** Limiters with one namespace count together. */
function counterIssues(configuration: Configuration, other: Configuration): string[] {
  const own = configuration.ratelimits.map(({ namespace_id: id }) => id);
  const foreign = new Set(other.ratelimits.map(({ namespace_id: id }) => id));
  const shared = own.filter((id, index) => own.indexOf(id) !== index || foreign.has(id));
  return [...new Set(shared)].map((id) => `Two rate limiters share the namespace_id ${id}`);
}
