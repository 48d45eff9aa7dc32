// The files of a certificate by what they are for: the page offers them in this order, and the API takes their names.

/** `says` tells what is in it. `ending` ends the name of the file. `text`: PEM, which the API also answers as it is. */
type FileShape = { label: string; says: string; ending: string; text?: true }

export const certificateFormats = {
  server: {
    label: 'For a server (PEM)',
    says: 'This certificate and the authorities between it and the root, in the order that web servers send them',
    ending: '-server.pem',
    text: true,
  },
  clients: {
    label: 'For clients (PEM)',
    says: 'The root alone: what those trust who check this certificate',
    ending: '-root.pem',
    text: true,
  },
  chain: {
    label: 'Everything (PEM)',
    says: 'This certificate and all authorities above it, with the root',
    ending: '-chain.pem',
    text: true,
  },
  pem: { label: 'Certificate (PEM)', says: 'This certificate alone, as text', ending: '.pem', text: true },
  der: { label: 'Certificate (DER)', says: 'This certificate alone, in binary form: for Windows, Java and devices', ending: '.cer' },
  pkcs7: { label: 'Certificate (PKCS#7)', says: 'This certificate alone, in a message of type PKCS#7', ending: '.p7b' },
  pkcs7Chain: {
    label: 'Everything (PKCS#7)',
    says: 'This certificate and all authorities above it: for Windows and Tomcat',
    ending: '-chain.p7b',
  },
  pkcs12: {
    label: 'Everything (PKCS#12)',
    says: 'This certificate and all authorities above it, without a key, under the password changeit: a trust store for Java',
    ending: '.p12',
  },
} as const satisfies Record<string, FileShape>

export type CertificateFormat = keyof typeof certificateFormats
export const formatNames = Object.keys(certificateFormats) as [CertificateFormat, ...CertificateFormat[]]
export type TextFormat = { [F in CertificateFormat]: (typeof certificateFormats)[F] extends { text: true } ? F : never }[CertificateFormat]
export const textFormats = formatNames.filter((name): name is TextFormat => 'text' in certificateFormats[name]) as [
  TextFormat,
  ...TextFormat[],
]

/** Under which the PKCS#12 file opens: Java insists on a password, and what is inside is public. */
export const trustStorePassword = 'changeit'
