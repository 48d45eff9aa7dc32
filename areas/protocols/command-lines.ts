// What to type for each client. CHALLENGE stands for a secret that is shown once.

import type { Protocol } from './rules.ts'

export type CommandLine = { name: string; hint: string; text: string }
type Place = { url: string; origin: string }

/** The name in the lines is an example. */
const example = 'router.example.org'

const scepLines = (url: string, challenge: string, name: string): CommandLine[] => [
  {
    name: 'strongSwan pki',
    hint: 'From 5.9.8 on. The first line fetches the certificates, of which the root is compared by its fingerprint.',
    text: [
      `pki --scepca --url ${url} --caout ca.pem --raout ra.pem --outform pem`,
      'pki --gen --type rsa --size 2048 --outform pem > device.key',
      `pki --scep --url ${url} --in device.key --dn "CN=${name}" --san ${name} --password ${challenge} --cacert-enc ra.pem --cacert-sig ra.pem --cacert ca.pem --outform pem > device.crt`,
      '# renew with the certificate that there is',
      'pki --gen --type rsa --size 2048 --outform pem > next.key',
      `pki --scep --url ${url} --in next.key --dn "CN=${name}" --san ${name} --cert device.crt --key device.key --cacert-enc ra.pem --cacert-sig ra.pem --cacert ca.pem --outform pem > next.crt`,
    ].join('\n'),
  },
  {
    name: 'certmonger',
    hint: 'Keeps the certificate and renews it by itself.',
    text: [
      `getcert add-scep-ca -c chancery -u ${url} -R ca.pem`,
      `getcert request -c chancery -k /etc/pki/device.key -f /etc/pki/device.crt -N CN=${name} -D ${name} -L ${challenge}`,
    ].join('\n'),
  },
  {
    name: 'micromdm scepclient',
    hint: 'A client in one file. It needs a trailing query in the address, and takes the key of the profile by its name.',
    text: `scepclient -server-url=${url} -private-key device.key -certificate device.pem -cn ${name} -challenge ${challenge} -keySize 2048`,
  },
  {
    name: 'Cisco IOS',
    hint: 'IOS makes the request; the challenge is asked for by "crypto pki enroll".',
    text: [
      'crypto pki trustpoint CHANCERY',
      ` enrollment url ${url}`,
      ` subject-name CN=${name}`,
      ` fqdn ${name}`,
      ' revocation-check crl',
      ' rsakeypair CHANCERY 2048',
      ' hash sha256',
      `! password ${challenge}`,
      'crypto pki authenticate CHANCERY',
      'crypto pki enroll CHANCERY',
    ].join('\n'),
  },
  {
    name: 'Device management (MDM)',
    hint: 'The fields of a SCEP payload of iOS, macOS, Android and their managers.',
    text: [
      `URL: ${url}`,
      `Challenge: ${challenge}`,
      `Subject: CN=${name}`,
      `DNS name: ${name}`,
      'Key size: 2048',
      'Key usage: signing and encryption',
    ].join('\n'),
  },
]

const lines: Record<Protocol, (place: Place) => CommandLine[]> = {
  scep: ({ url }) => scepLines(url, 'CHALLENGE', example),
}

export const commandLines = (protocol: Protocol, place: Place): CommandLine[] => lines[protocol](place)

/** For whoever has just been shown a challenge: the same lines with it. */
export const revealCommands = ({
  url,
  challenge,
  name,
}: {
  url: string
  challenge: string
  name: string
}): { name: string; text: string }[] => scepLines(url, challenge, name).map(({ name: client, text }) => ({ name: client, text }))
