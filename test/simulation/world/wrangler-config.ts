import { readFileSync } from 'node:fs';

/** The Worker's bindings, by the names in its environment. */
interface WranglerConfig {
  /** The Worker's entry, from the root of the project. */
  readonly main: string;
  /** Binding -> class. */
  readonly objects: Readonly<Record<string, string>>;
  /** Binding -> queue. */
  readonly queues: Readonly<Record<string, string>>;
  readonly limiters: readonly string[];
}

/** Reads the parts of wrangler.toml that the simulation models, without named environments. */
export function readWranglerConfig(): WranglerConfig {
  const text = readFileSync(new URL('../../../wrangler.toml', import.meta.url), 'utf8');
  const sections = text.split(/^(?=\[)/m).filter((section) => !/^\[+env\./.test(section));
  const of = (heading: string) => sections.filter((section) => section.startsWith(`[[${heading}]]`));
  const pairs = (heading: string, key: string, value: string) =>
    Object.fromEntries(of(heading).map((section) => [fieldOf(section, key), fieldOf(section, value)]));
  return {
    main: fieldOf(text, 'main'),
    objects: pairs('durable_objects.bindings', 'name', 'class_name'),
    queues: pairs('queues.producers', 'binding', 'queue'),
    limiters: of('ratelimits').map((section) => fieldOf(section, 'name')),
  };
}

function fieldOf(section: string, key: string): string {
  const [, value] = new RegExp(`^${key} = "([^"]+)"`, 'm').exec(section) ?? [];
  if (value === undefined) throw new Error(`wrangler.toml has no ${key} where one is expected`);
  return value;
}
