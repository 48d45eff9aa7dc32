// How the installation is set up, for those who run it: what the environment says, by the name of each setting, and never a password or a key.

import { basename } from 'node:path'
import type { House } from '#core/server/house.ts'
import type { factLabels } from '../rules.ts'

type Fact = { name: keyof typeof factLabels; value: string; setBy?: string }

export function installationFacts({ settings, version }: House): Record<'general' | 'outward' | 'keys', Fact[]> {
  const { allow, deny, ports, nameServers, rootsFile } = settings.outward
  return {
    general: [
      { name: 'version', value: version },
      { name: 'origin', value: settings.origin, setBy: 'CHANCERY_ORIGIN' },
      { name: 'pkiUrl', value: settings.pkiUrl, setBy: 'CHANCERY_PKI_URL' },
      { name: 'database', value: databaseOf(settings.databaseUrl), setBy: 'DATABASE_URL' },
      { name: 'processes', value: String(settings.processes), setBy: 'CHANCERY_PROCESSES' },
      { name: 'proxies', value: settings.trustedProxies.join(', '), setBy: 'CHANCERY_TRUST_PROXY' },
      { name: 'logLevel', value: settings.logLevel, setBy: 'CHANCERY_LOG' },
    ],
    outward: [
      { name: 'allow', value: allow.join(', '), setBy: 'CHANCERY_OUTWARD_ALLOW' },
      { name: 'deny', value: deny.join(', '), setBy: 'CHANCERY_OUTWARD_DENY' },
      {
        name: 'ports',
        value: ports.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', '),
        setBy: 'CHANCERY_OUTWARD_PORTS',
      },
      { name: 'nameServers', value: nameServers.join(', '), setBy: 'CHANCERY_NAME_SERVERS' },
      { name: 'roots', value: rootsFile === undefined ? '' : basename(rootsFile), setBy: 'CHANCERY_OUTWARD_ROOTS' },
    ],
    keys: [
      { name: 'mailServer', value: settings.smtpUrl === undefined ? '' : new URL(settings.smtpUrl).host, setBy: 'CHANCERY_SMTP_URL' },
      { name: 'mailFrom', value: settings.mailFrom, setBy: 'CHANCERY_MAIL_FROM' },
      {
        name: 'pkcs11',
        value: settings.pkcs11Modules.map((path) => basename(path)).join(', '),
        setBy: 'CHANCERY_PKCS11_MODULES',
      },
    ],
  }
}

const databaseOf = (url: string | undefined): string => (url === undefined ? 'Embedded' : new URL(url).host)
