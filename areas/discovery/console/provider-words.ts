// What people call the providers of certificates and the fields of each.

import { t } from '#core/console/text.ts'
import type { ProviderKind } from '../rules.ts'

export type ProviderWords = {
  title: string
  intro: string
  make: string
  none: string
  first: string
  urlHint: string
  account: string
  accountHint: string
  secret: string
  secretHint: string
  scope: string
  scopeHint: string
  needsScope: boolean
  noScope: string
}

export function wordsOf(kind: ProviderKind): ProviderWords {
  if (kind === 'directory')
    return {
      title: t('Directories'),
      intro: t('The certificates of people, machines and authorities that stand in an LDAP directory are listed as findings.'),
      make: t('New directory'),
      none: t('No directories yet'),
      first: t('Add a directory with an account that may read certificates.'),
      urlHint: t('Such as ldaps://directory.example.org:636, or ldap:// for StartTLS'),
      account: t('Distinguished name of the account'),
      accountHint: t('Such as cn=reader,dc=example,dc=org'),
      secret: t('Password'),
      secretHint: t('Of an account that may read, and nothing besides'),
      scope: t('Base'),
      scopeHint: t('Below it entries are looked for, such as dc=example,dc=org'),
      needsScope: true,
      noScope: '',
    }
  if (kind === 'aws')
    return {
      title: t('AWS'),
      intro: t(
        'The certificates of the Certificate Manager and the server certificates of IAM are listed as findings. Keys are not asked for.',
      ),
      make: t('New account of AWS'),
      none: t('No accounts of AWS yet'),
      first: t('Add an access key that may list certificates.'),
      urlHint: t('Such as https://acm.eu-central-1.amazonaws.com, or https://iam.amazonaws.com'),
      account: t('Access key'),
      accountHint: t('Its id, such as AKIA…'),
      secret: t('Secret access key'),
      secretHint: t('It may list and get certificates, and nothing besides'),
      scope: t('Region'),
      scopeHint: t('Such as eu-central-1'),
      needsScope: true,
      noScope: '',
    }
  if (kind === 'azure')
    return {
      title: t('Azure'),
      intro: t('The certificates of a key vault are listed as findings. Keys and secrets are not asked for.'),
      make: t('New vault'),
      none: t('No vaults yet'),
      first: t('Add a vault with a client that may list certificates.'),
      urlHint: t('Such as https://shop.vault.azure.net'),
      account: t('Client'),
      accountHint: t('The id of the application'),
      secret: t('Client secret'),
      secretHint: t('Of a client that may list and get certificates, and nothing besides'),
      scope: t('Tenant of Azure'),
      scopeHint: t('Its id or its domain'),
      needsScope: true,
      noScope: '',
    }
  if (kind === 'ct')
    return {
      title: t('Transparency logs'),
      intro: t('Logs of certificate transparency are read on; what names a domain that you have proved is listed as a finding.'),
      make: t('New log'),
      none: t('No logs yet'),
      first: t('Add a log by its address and its public key.'),
      urlHint: t('Such as https://log.example.org/2027h1'),
      account: t('Public key'),
      accountHint: t('As lists of logs give it, in base64'),
      secret: '',
      secretHint: '',
      scope: t('First entry'),
      scopeHint: t('Empty to begin at the present end'),
      needsScope: false,
      noScope: t('The end when it was first read'),
    }
  return {
    title: t('Kubernetes'),
    intro: t('The TLS secrets of a cluster are listed as findings. Their private keys are never kept.'),
    make: t('New cluster'),
    none: t('No clusters yet'),
    first: t('Add a cluster with a token that may list secrets.'),
    urlHint: t('Such as https://cluster.example.org:6443'),
    account: '',
    accountHint: '',
    secret: t('Token'),
    secretHint: t('Of a service account that may list secrets, and nothing besides'),
    scope: t('Namespace'),
    scopeHint: t('Empty for all'),
    needsScope: false,
    noScope: t('All'),
  }
}
