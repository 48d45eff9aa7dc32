// What each tool is asked, and its verdict as one word where it prints one. The files are: root.pem, issuing.pem, leaf.pem, and the lists root.crl
// and issuing.crl (PEM). OpenSSL, GnuTLS and NSS read the same bytes and know nothing of one another.

import type { Opinion, Workbench } from './workbench.ts'

export type Verdict = 'good' | 'revoked' | 'unknown' | 'none'

const verdictOf = (text: string, pattern: RegExp): Verdict => {
  const word = pattern.exec(text)?.[1]?.toLowerCase()
  return word === 'good' || word === 'revoked' || word === 'unknown' ? word : 'none'
}

function newNssDatabase(bench: Workbench): string {
  const database = `sql:${bench.folder('nss')}`
  bench.run('certutil', '-N', '-d', database, '--empty-password')
  return database
}

export const judges = {
  opensslChain: (bench: Workbench, leaf: string, ...more: string[]): Opinion =>
    bench.ask('openssl', 'verify', '-x509_strict', ...more, '-CAfile', 'root.pem', '-untrusted', 'issuing.pem', leaf),

  /** With the lists of both authorities. */
  opensslLists: (bench: Workbench, leaf: string): Opinion =>
    judges.opensslChain(bench, leaf, '-crl_check_all', '-CRLfile', 'root.crl', '-CRLfile', 'issuing.crl'),

  opensslListSignature: (bench: Workbench, list: string, signer: string): Opinion =>
    bench.ask('openssl', 'crl', '-in', list, '-noout', '-verify', '-CAfile', signer),

  gnutlsChain(bench: Workbench, leaf: string): Opinion {
    bench.write('chain.pem', Buffer.concat([bench.read(leaf), bench.read('issuing.pem')]))
    return bench.ask('certtool', '--verify', '--load-ca-certificate', 'root.pem', '--infile', 'chain.pem')
  },

  gnutlsLists(bench: Workbench, leaf: string): Opinion {
    bench.write('chain.pem', Buffer.concat([bench.read(leaf), bench.read('issuing.pem')]))
    bench.write('lists.pem', Buffer.concat([bench.read('root.crl'), bench.read('issuing.crl')]))
    return bench.ask('certtool', '--verify', '--load-ca-certificate', 'root.pem', '--load-crl', 'lists.pem', '--infile', 'chain.pem')
  },

  gnutlsListSignature: (bench: Workbench, list: string, signer: string): Opinion =>
    bench.ask('certtool', '--verify-crl', '--load-ca-certificate', signer, '--infile', list),

  /** A fresh database each time; lists only where asked for. "unreadable" where NSS does not take the certificate at all. */
  nss(bench: Workbench, leaf: string, lists: boolean): 'good' | 'revoked' | 'refused' | 'unreadable' {
    const database = newNssDatabase(bench)
    const taken = [
      ['root', 'C,C,C', 'root.pem'],
      ['issuing', ',,', 'issuing.pem'],
      ['leaf', ',,', leaf],
    ].every(([name = '', trust = '', file = '']) => bench.ask('certutil', '-A', '-d', database, '-n', name, '-t', trust, '-i', file).ok)
    if (!taken) return 'unreadable'
    for (const list of lists ? ['root', 'issuing'] : []) {
      bench.run('openssl', 'crl', '-in', `${list}.crl`, '-outform', 'DER', '-out', `${list}.crl.der`)
      bench.run('crlutil', '-I', '-d', database, '-i', `${list}.crl.der`)
    }
    const { ok, text } = bench.ask('certutil', '-V', '-d', database, '-n', 'leaf', '-u', 'V', '-e')
    return ok ? 'good' : /revoked/i.test(text) ? 'revoked' : 'refused'
  },

  /** Whether NSS takes the file in, key and certificate. */
  nssPkcs12(bench: Workbench, file: string, password: string): boolean {
    const database = newNssDatabase(bench)
    const { ok } = bench.ask('pk12util', '-i', file, '-d', database, '-W', password)
    return ok && /<\s*0>\s*(rsa|ec)/.test(bench.ask('certutil', '-K', '-d', database).text)
  },

  ocspByPost(bench: Workbench, leaf: string, url: string): { verdict: Verdict; text: string } {
    const { text } = bench.ask('openssl', 'ocsp', '-issuer', 'issuing.pem', '-cert', leaf, '-url', url, '-CAfile', 'root.pem', '-nonce')
    return { verdict: verdictOf(text, /^\S+: (good|revoked|unknown)/m), text }
  },

  /** RFC 6960 appendix A: the base64 of the request in the path, by curl. */
  ocspByGet(bench: Workbench, leaf: string, url: string): { verdict: Verdict; text: string } {
    bench.run('openssl', 'ocsp', '-issuer', 'issuing.pem', '-cert', leaf, '-no_nonce', '-reqout', 'request.ocsp')
    const path = encodeURIComponent(bench.read('request.ocsp').toString('base64'))
    bench.run('curl', '-sS', '--fail', '-o', 'response.ocsp', `${url}/${path}`)
    const { text } = bench.ask(
      'openssl',
      'ocsp',
      '-respin',
      'response.ocsp',
      '-issuer',
      'issuing.pem',
      '-cert',
      leaf,
      '-CAfile',
      'root.pem',
      '-no_nonce',
    )
    return { verdict: verdictOf(text, /^\S+: (good|revoked|unknown)/m), text }
  },

  ocspByGnutls(bench: Workbench, leaf: string, url: string): { verdict: Verdict; text: string } {
    const { text } = bench.ask(
      'ocsptool',
      `--ask=${url}`,
      '--load-cert',
      leaf,
      '--load-issuer',
      'issuing.pem',
      '--load-signer',
      'issuing.pem',
      '--nonce',
    )
    return { verdict: verdictOf(text, /Certificate Status: (good|revoked|unknown)/), text }
  },
}
