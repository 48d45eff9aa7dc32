// Decisions about values of a tenancy, for the server and the console alike. Pure.

import type { PlainValue, ValueKey } from './values.ts'

export const requestSizeLimit = {
  key: 'requestSizeLimit',
  label: 'Largest request',
  hint: 'Longer requests and uploads of this tenancy are refused. What a call takes at most holds besides.',
  kind: 'number',
  initial: 10_240,
  min: 64,
  max: 10_240,
  unit: 'KiB',
} as const satisfies ValueKey

/** What is wrong with a value for this key; undefined where it can be set. */
export function valueFault(key: ValueKey, value: PlainValue): string | undefined {
  if (key.kind === 'number') {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'Enter a whole number'
    return value < key.min || value > key.max ? `Enter a number from ${key.min} to ${key.max}` : undefined
  }
  if (key.kind === 'switch') return typeof value === 'boolean' ? undefined : 'Choose on or off'
  if (typeof value !== 'string' || value === '') return 'Enter a value'
  // What is a secret of a program may have any character but the one that no row can hold.
  if (value.length > key.most) return `Use at most ${key.most} characters`
  return value.includes('\u0000') ? 'Remove the control characters' : undefined
}

/** What is told of the installation, as a screen calls it. */
export const factLabels = {
  version: { label: 'Version' },
  origin: { label: 'Address of the console' },
  pkiUrl: { label: 'Address of CRLs and OCSP' },
  database: { label: 'Database' },
  processes: { label: 'Processes' },
  proxies: { label: 'Trusted proxies' },
  logLevel: { label: 'Log level' },
  allow: { label: 'Open networks' },
  deny: { label: 'Closed networks' },
  ports: { label: 'Further ports' },
  nameServers: { label: 'Name servers' },
  roots: { label: 'Further roots' },
  mailServer: { label: 'Mail server' },
  mailFrom: { label: 'Mail comes from' },
  pkcs11: { label: 'PKCS#11 modules' },
} as const

/** What an address is for, by its key, as a screen calls it. */
export const addressLabels = {
  console: { label: 'Console and API' },
  pki: { label: 'CRLs, OCSP and CA certificates' },
  agent: { label: 'Security clients, TLS 1.3' },
  mail: { label: 'Mail' },
  scim: { label: 'People and groups by SCIM' },
  directory: { label: 'Directory' },
} as const
