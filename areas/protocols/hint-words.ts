// What stands beside the lines for a client, sentence by sentence, so that each has its words in other languages.

export const hintWords = {
  pkiVersion: 'From 5.9.8 on.',
  pkiRoot: 'The first line fetches the certificates, of which the root is compared by its fingerprint.',
  asksEveryMinute: 'Where somebody must agree it asks again every minute by itself.',
  certmonger: 'Keeps the certificate, asks again where somebody must agree, and renews it by itself.',
  ios: 'IOS makes the request; the challenge is asked for by "crypto pki enroll".',
  mdm: 'The fields of a SCEP payload of iOS, macOS, Android and their managers.',
  secret: 'SECRET stands for a secret of this profile.',
  loop: 'Where somebody must agree the server answers 202, and the loop asks again every minute; any other answer is shown.',
  certificateAddress: 'The renewal shows the certificate at the address for certificates (CHANCERY_CERT_SIGN_IN_URL), if there is one.',
  noLabel: 'It knows no label, so that the address of the profile stands in front.',
  asksAgain: 'Where somebody must agree it asks again by itself.',
  lines: 'It reads lines of base64: choose 64 or 76 characters in the profile.',
  callAgain: 'Where somebody must agree it says so and ends: call it again.',
  tlsAuthority:
    'The file tls-ca.pem holds the certificate of whoever vouches for this address: fetched by the first line, or the root of your authority of the Web.',
  withoutTls:
    'It speaks EST over TLS alone, and this address has none: give the server a certificate (CHANCERY_TLS_CERT), or a proxy with one, first.',
  cmpVersion: 'From 3.0 on.',
  reference: 'REFERENCE and SECRET are those of a secret of this profile.',
  cmpAsksAgain: 'Where somebody must agree it asks again by itself, for as long as -total_timeout says.',
  cmpTls: 'For https add -tls_used and -tls_trusted.',
  policy: 'In the group policy editor.',
  policyOnce: 'Windows asks for the reference and the secret once and keeps them; from then on it renews by itself.',
  registry: 'The same as a .reg file, or as registry items of a group policy.',
  registryDefault: 'It leaves the default policy as it is.',
  asksSecret: 'The first line asks for the secret.',
  offered: 'The first line lists what is offered.',
  thumbprint: 'THUMBPRINT stands for that of the certificate to renew.',
  withoutWindows: 'The same protocols for machines without Windows.',
} as const
