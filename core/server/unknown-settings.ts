// A variable that looks like a setting and is none was misspelt. Passed by in silence, the server would run with what it was meant to change.

import { nearestTo } from '#core/contract/nearest.ts'

export const settingNames = [
  'CHANCERY_PORT',
  'CHANCERY_HOST',
  'CHANCERY_ORIGIN',
  'CHANCERY_PKI_URL',
  'CHANCERY_DATA',
  'CHANCERY_KEY_FILE',
  'CHANCERY_SMTP_URL',
  'CHANCERY_TLS_CERT',
  'CHANCERY_TLS_KEY',
  'CHANCERY_TRUST_PROXY',
  'CHANCERY_LOG',
  'CHANCERY_MAIL_FROM',
  'CHANCERY_MAIL_IN_PORT',
  'CHANCERY_METRICS_TOKEN',
  'CHANCERY_PKCS11_MODULES',
  'CHANCERY_SMBCLIENT',
  'CHANCERY_PROCESSES',
  'CHANCERY_AGENT_PORT',
  'CHANCERY_OUTWARD_ALLOW',
  'CHANCERY_OUTWARD_DENY',
  'CHANCERY_OUTWARD_PORTS',
  'CHANCERY_OUTWARD_ROOTS',
  'CHANCERY_NAME_SERVERS',
  'CHANCERY_CERT_SIGN_IN_PORT',
  'CHANCERY_CERT_SIGN_IN_URL',
  'CHANCERY_CERT_SIGN_IN_HEADER',
  'CHANCERY_CERT_SIGN_IN_TLS_CERT',
  'CHANCERY_CERT_SIGN_IN_TLS_KEY',
  'CHANCERY_BACKUP_PASSPHRASE',
] as const

const nearEnough = 4

/** A sentence for each, with the name that was probably meant. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => /^CHANC[A-Z]*_/i.test(name) && !settingNames.some((known) => known === name))
    .map((name) => {
      const meant = nearestTo(name, settingNames, nearEnough)
      return `There is no setting ${name}: it does nothing.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
    })
}
