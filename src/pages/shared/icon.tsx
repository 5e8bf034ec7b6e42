const PATHS = {
  done: 'M7.5 12.5l3 3 6-7',
  failed: 'M12 7v6M12 16.5v.5',
  altered: 'M8.5 8.5l7 7M15.5 8.5l-7 7',
  question: 'M9.5 9.7a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2 1-1.2 1.9M12 16.9v.1',
  running: 'M12 3a9 9 0 0 1 9 9',
} as const;

/** A sign beside text that says the same. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      class={name === 'running' ? 'spinner' : ''}
    >
      {name === 'running' ? null : <circle cx="12" cy="12" r="9" />}
      <path d={PATHS[name]} />
    </svg>
  );
}
