// The words of the console for steps, proofs and keys.

import type { OrderedKey, Proof, ResponderKind, Step } from '../rules.ts'

export const stepLabels: Record<Step, string> = {
  registration: 'Registration',
  order: 'Order',
  authorization: 'Authorisation',
  validation: 'Validation',
  finalisation: 'Finalisation',
  certificate: 'Certificate',
  done: 'Obtained',
}

export const proofTexts: Record<Proof, { label: string; hint: string }> = {
  forward: {
    label: 'The web server of the name forwards to this server',
    hint: 'http-01. Set up once: one redirect for all names. Renewals need nobody',
  },
  responder: { label: 'A record that this server puts into the DNS', hint: 'dns-01, also for wildcards. Renewals need nobody' },
  file: { label: 'A file that I put on the web server', hint: 'http-01. By hand, at each renewal too' },
  record: { label: 'A record that I put into the DNS', hint: 'dns-01, also for wildcards. By hand, at each renewal too' },
}

export const keyLabels: Record<OrderedKey, string> = {
  'P-256': 'EC P-256',
  'P-384': 'EC P-384',
  'RSA-2048': 'RSA 2048',
  'RSA-3072': 'RSA 3072',
  'RSA-4096': 'RSA 4096',
}

export const responderLabels: Record<ResponderKind, string> = {
  rfc2136: 'Dynamic updates (RFC 2136)',
  acmeDns: 'acme-dns',
  webhook: 'Webhook',
}

type Standing = { step: Step; runs: boolean; problem?: object | undefined }

export function orderStatus({ step, runs, problem }: Standing): { kind: string; label: string } {
  if (problem !== undefined) return { kind: 'failed', label: 'Failed' }
  if (step === 'done') return { kind: 'active', label: 'Obtained' }
  return runs ? { kind: 'issuing', label: 'Under way' } : { kind: 'pending', label: 'Waits for somebody' }
}
