// What to set in group policy, in the registry and at a prompt, so that Windows enrols at a profile. What stands in a line that somebody pastes is plain.

import { createHash } from 'node:crypto'
import type { CommandLine } from '../command-lines.ts'
import { hintWords as words } from '../hint-words.ts'

export type WindowsPlace = {
  url: string
  policyId: string
  friendlyName: string
  template: string
  isForMachines: boolean
  reference?: string
  secret?: string
}

/** Windows keeps a policy server under the SHA-1 of its address in small letters, in UTF-16. */
export const policyServerKey = (url: string): string => createHash('sha1').update(Buffer.from(url.toLowerCase(), 'utf16le')).digest('hex')

/** Neither quotes nor what shells read: a name somebody chose must not end its word. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N} ._-]/gu, ' ').trim()

const flags = { autoEnrolment: '00000010', password: '00000004' } as const

const registry = ({ url, policyId, friendlyName, isForMachines }: WindowsPlace): string => {
  const root = `${isForMachines ? 'HKEY_LOCAL_MACHINE' : 'HKEY_CURRENT_USER'}\\SOFTWARE\\Policies\\Microsoft\\Cryptography`
  return [
    'Windows Registry Editor Version 5.00',
    '',
    `[${root}\\PolicyServers\\${policyServerKey(url)}]`,
    `"URL"="${url}"`,
    `"PolicyID"="${policyId}"`,
    `"FriendlyName"="${plain(friendlyName)}"`,
    `"Flags"=dword:${flags.autoEnrolment}`,
    `"AuthFlags"=dword:${flags.password}`,
    '"Cost"=dword:00000064',
    '',
    `[${root}\\AutoEnrollment]`,
    '"AEPolicy"=dword:00000007',
  ].join('\n')
}

const groupPolicy = ({ url, isForMachines }: WindowsPlace): string =>
  [
    `${isForMachines ? 'Computer' : 'User'} Configuration > Policies > Windows Settings > Security Settings > Public Key Policies`,
    '',
    'Certificate Services Client - Certificate Enrollment Policy',
    '  Configuration Model: Enabled',
    '  Add > Enter enrollment policy server URI:',
    `    ${url}`,
    '  Authentication type: Username/password',
    '  Validate Server > Add',
    '',
    'Certificate Services Client - Auto-Enrollment',
    '  Configuration Model: Enabled',
    '  Renew expired certificates, update pending certificates, and remove revoked certificates: yes',
    '  Update certificates that use certificate templates: yes',
  ].join('\n')

const powerShell = ({ url, template, isForMachines, reference = 'REFERENCE' }: WindowsPlace): string =>
  [
    `$password = Get-Credential -UserName ${reference} -Message 'Enrolment password'`,
    `Add-CertificateEnrollmentPolicyServer -Url '${url}' -Context ${isForMachines ? 'Machine' : 'User'} -Credential $password -AutoEnrollmentEnabled`,
    `Get-Certificate -Url '${url}' -Template '${plain(template)}' -Credential $password -CertStoreLocation Cert:\\${isForMachines ? 'LocalMachine' : 'CurrentUser'}\\My`,
  ].join('\n')

const prompt = ({ url, template, isForMachines, reference = 'REFERENCE', secret = 'SECRET' }: WindowsPlace): string => {
  const store = isForMachines ? ' -machine' : ' -user'
  const signIn = `-PolicyServer "${url}" -UserName ${reference} -p ${secret}`
  return [
    `certutil ${signIn} -Template`,
    `certreq -enroll${store} ${signIn} "${plain(template)}"`,
    'rem renew by the certificate that there is',
    `certreq -enroll${store} -q -cert THUMBPRINT renew`,
    'rem let auto-enrolment look now',
    `certutil${isForMachines ? '' : ' -user'} -pulse`,
  ].join('\n')
}

const cepces = ({ url, template, reference = 'REFERENCE', secret = 'SECRET' }: WindowsPlace): string =>
  [
    '# /etc/cepces/cepces.conf',
    '[global]',
    'type=Policy',
    'auth=UsernamePassword',
    `endpoint=${url}`,
    '[usernamepassword]',
    `username=${reference}`,
    `password=${secret}`,
    '# then, at a prompt',
    `# getcert request -c cepces -T "${plain(template)}" -k /etc/pki/device.key -f /etc/pki/device.crt -N CN=host.example.org -D host.example.org`,
  ].join('\n')

/** For whoever sets machines up: everything, with words in capitals for a secret. */
export const windowsLines = (place: WindowsPlace): CommandLine[] => [
  {
    name: 'Group policy',
    hint: [words.policy, words.policyOnce],
    text: groupPolicy(place),
  },
  {
    name: 'Registry',
    hint: [words.registry, words.registryDefault],
    text: registry(place),
  },
  { name: 'PowerShell', hint: [words.asksSecret], text: powerShell(place) },
  {
    name: 'certutil and certreq',
    hint: [words.offered, words.thumbprint],
    text: prompt(place),
  },
  { name: 'Linux (cepces and certmonger)', hint: [words.withoutWindows], text: cepces(place) },
]

/** For a person who has just been shown a password. */
export const ownLines = (place: WindowsPlace): { name: string; text: string }[] => [
  { name: 'PowerShell', text: powerShell(place) },
  { name: 'certutil and certreq', text: prompt(place) },
]
