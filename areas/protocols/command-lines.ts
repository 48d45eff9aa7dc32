// What to type for each client. CHALLENGE stands for a secret that is shown once.

import { to } from '#core/contract/paths.ts'
import { protocolRoom } from './contract.ts'
import { hintWords as words } from './hint-words.ts'
import { estWaitSeconds, type Protocol } from './rules.ts'

/** `hint`: sentences. */
export type CommandLine = { name: string; hint: string[]; text: string }
type Place = { url: string; origin: string }

/** The name in the lines is an example. */
const example = 'router.example.org'

const scepLines = (url: string, challenge: string, name: string): CommandLine[] => [
  {
    name: 'strongSwan pki',
    hint: [words.pkiVersion, words.pkiRoot, words.asksEveryMinute],
    text: [
      `pki --scepca --url ${url} --caout ca.pem --raout ra.pem --outform pem`,
      'pki --gen --type rsa --size 2048 --outform pem > device.key',
      `pki --scep --url ${url} --in device.key --dn "CN=${name}" --san ${name} --password ${challenge} --cacert-enc ra.pem --cacert-sig ra.pem --cacert ca.pem --cacert ca-1.pem --outform pem > device.crt`,
      '# renew with the certificate that there is',
      'pki --gen --type rsa --size 2048 --outform pem > next.key',
      `pki --scep --url ${url} --in next.key --dn "CN=${name}" --san ${name} --cert device.crt --key device.key --cacert-enc ra.pem --cacert-sig ra.pem --cacert ca.pem --cacert ca-1.pem --outform pem > next.crt`,
    ].join('\n'),
  },
  {
    name: 'certmonger',
    hint: [words.certmonger],
    text: [
      `getcert add-scep-ca -c chancery -u ${url} -R ca.pem`,
      `getcert request -c chancery -k /etc/pki/device.key -f /etc/pki/device.crt -N CN=${name} -D ${name} -L ${challenge}`,
    ].join('\n'),
  },
  {
    name: 'Cisco IOS',
    hint: [words.ios],
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
    hint: [words.mdm],
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

/** The address for clients that know no label. */
function prefixOf(url: string): string {
  const { origin, pathname } = new URL(url)
  const own = to(protocolRoom.endpoints.estPrefixedCaCertificates, { publicId: pathname.split('/').at(-1) ?? '' })
  return `${origin}${own.slice(0, own.indexOf('/.'))}`
}

/** The last certificate that the web server shows: whoever has it need not have its authority beforehand, and compares what they got. */
const lastShown = `awk '/BEGIN CERT/ { one = "" } { one = one $0 "\\n" } /END CERT/ { last = one } END { printf "%s", last }'`

/** How a client gets to know whom it speaks to, where the address has TLS. */
function tlsAuthority(url: string): { fetch: string[]; option: string; hint: string[] } {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:') return { fetch: [], option: '', hint: [] }
  return {
    fetch: [
      '# whom to trust at this address: compare the fingerprint with what its administrator says',
      `openssl s_client -connect ${hostname}:${port || '443'} -servername ${hostname} -showcerts < /dev/null 2> /dev/null | ${lastShown} > tls-ca.pem`,
      'openssl x509 -in tls-ca.pem -noout -subject -fingerprint -sha256',
    ],
    option: ' --cacert tls-ca.pem',
    hint: [words.tlsAuthority],
  }
}

/** Of clients that speak EST over TLS alone, as RFC 7030 has it: their lines are for the address as it will be with TLS. */
function withTls(url: string): { url: string; hint: string[] } {
  const isSecure = new URL(url).protocol === 'https:'
  return isSecure
    ? { url, hint: [] }
    : {
        url: url.replace(/^http:/, 'https:'),
        hint: [words.withoutTls],
      }
}

const estLines = (url: string, name: string): CommandLine[] => {
  const tls = tlsAuthority(url)
  const secure = withTls(url)
  const ownTls = tlsAuthority(secure.url)
  const prefix = prefixOf(secure.url)
  return [
    {
      name: 'curl and openssl',
      hint: [words.secret, words.loop, words.certificateAddress, ...tls.hint],
      text: [
        ...tls.fetch,
        `curl -sf${tls.option} ${url}/cacerts | base64 -d | openssl pkcs7 -inform DER -print_certs > ca.pem`,
        `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout device.key -subj /CN=${name} -addext subjectAltName=DNS:${name} -outform DER | base64 > device.p10`,
        `while status=$(curl -s${tls.option} -o device.p7 -w '%{http_code}' --user device:SECRET -H 'Content-Type: application/pkcs10' -H 'Content-Transfer-Encoding: base64' --data-binary @device.p10 ${url}/simpleenroll); [ "$status" = 202 ]; do cat device.p7; sleep ${estWaitSeconds}; done`,
        `if [ "$status" = 200 ]; then base64 -d device.p7 | openssl pkcs7 -inform DER -print_certs > device.crt; else cat device.p7; false; fi`,
      ].join('\n'),
    },
    {
      name: 'strongSwan pki',
      hint: [words.pkiVersion, words.noLabel, words.asksAgain, ...secure.hint, ...ownTls.hint],
      text: [
        ...ownTls.fetch,
        `pki --estca --url ${prefix}${ownTls.option} --caout ca.pem --outform pem`,
        'pki --gen --type ecdsa --size 256 --outform pem > device.key',
        `pki --req --in device.key --type priv --dn "CN=${name}" --san ${name} --outform pem > device.p10`,
        `pki --est --url ${prefix} --in device.p10 --userpass device:SECRET${ownTls.option} --cacert ca.pem --cacert ca-1.pem --outform pem > device.crt`,
      ].join('\n'),
    },
    {
      name: 'libest estclient',
      hint: [words.lines, words.callAgain, ...secure.hint, ...ownTls.hint],
      text: [
        ...ownTls.fetch,
        'export EST_OPENSSL_CACERT=tls-ca.pem',
        `estclient -e -s ${new URL(secure.url).hostname} -p ${new URL(secure.url).port || '443'} --pem-output -o . -u device -h SECRET --path-seg ${url.split('/').at(-1) ?? ''} --common-name ${name}`,
      ].join('\n'),
    },
  ]
}

const cmpLines = (url: string, name: string): CommandLine[] => {
  const server = `-server ${new URL(url).host} -path ${new URL(url).pathname.slice(1)}`
  return [
    {
      name: 'openssl cmp',
      hint: [words.cmpVersion, words.reference, words.cmpAsksAgain, words.cmpTls],
      text: [
        'openssl ecparam -name prime256v1 -genkey -noout -out device.key',
        `openssl cmp -cmd ir ${server} -ref REFERENCE -secret pass:SECRET -recipient /CN=CA -newkey device.key -subject /CN=${name} -sans ${name} -certout device.crt -cacertsout root.pem`,
        '# the next key, by the certificate that there is',
        'openssl ecparam -name prime256v1 -genkey -noout -out next.key',
        `openssl cmp -cmd kur ${server} -cert device.crt -key device.key -trusted root.pem -recipient /CN=CA -newkey next.key -certout next.crt`,
        '# end it',
        `openssl cmp -cmd rr ${server} -cert next.crt -key next.key -trusted root.pem -recipient /CN=CA -oldcert next.crt -revreason 5`,
      ].join('\n'),
    },
  ]
}

const lines: Record<Exclude<Protocol, 'windows'>, (place: Place) => CommandLine[]> = {
  scep: ({ url }) => scepLines(url, 'CHALLENGE', example),
  est: ({ url }) => estLines(url, example),
  cmp: ({ url }) => cmpLines(url, example),
}

export const commandLines = (protocol: keyof typeof lines, place: Place): CommandLine[] => lines[protocol](place)

/** For whoever has just been shown a challenge: the same lines with it. */
export const revealCommands = ({
  url,
  challenge,
  name,
}: {
  url: string
  challenge: string
  name: string
}): { name: string; text: string }[] =>
  scepLines(url, challenge, plainName.test(name) ? name : 'NAME').map(({ name: client, text }) => ({ name: client, text }))

/** What stands in a line that somebody pastes into a shell: a name that could end its word and begin a command is left for them to fill in. */
const plainName = /^[\w.@:+][\w.@:+-]{0,250}$/
