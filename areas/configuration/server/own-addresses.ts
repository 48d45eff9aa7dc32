// The addresses that every tenancy is reached at.

import type { NetworkAddresses } from '../infrastructure.ts'

export const ownAddresses: NetworkAddresses = async (_tenancy, { settings }) => [
  { direction: 'in', purpose: 'console', name: '', address: settings.origin },
  { direction: 'in', purpose: 'pki', name: '', address: settings.pkiUrl },
  { direction: 'in', purpose: 'agent', name: '', address: `${new URL(settings.origin).hostname}:${settings.agentPort}` },
  ...(settings.smtpUrl === undefined
    ? []
    : [{ direction: 'out' as const, purpose: 'mail' as const, name: '', address: new URL(settings.smtpUrl).host }]),
]
