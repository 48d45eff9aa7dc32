import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError } from './settings.ts'

const complaint = (environment: Record<string, string>): string => {
  try {
    readSettings(environment)
    return ''
  } catch (error) {
    return error instanceof SettingsError ? error.message : `not a sentence: ${String(error)}`
  }
}

describe('The settings', () => {
  test('need nothing to start with', () => {
    expect(readSettings({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      origin: 'http://localhost:8080',
      pkiUrl: 'http://localhost:8080',
      trustedProxies: [],
      logLevel: 'info',
      databaseUrl: undefined,
      tls: undefined,
    })
    expect(readSettings({ CHANCERY_PORT: '  ', DATABASE_URL: '' })).toMatchObject({ port: 8080, databaseUrl: undefined })
  })

  test('follow from one another', () => {
    expect(readSettings({ CHANCERY_PORT: '9000' }).origin).toBe('http://localhost:9000')
    const own = readSettings({
      CHANCERY_TLS_CERT: '/c.pem',
      CHANCERY_TLS_KEY: '/k.pem',
      CHANCERY_ORIGIN: 'https://pki.example.org/',
      CHANCERY_PKI_URL: 'http://pki.example.org',
    })
    expect(own).toMatchObject({ origin: 'https://pki.example.org', tls: { certificateFile: '/c.pem', keyFile: '/k.pem' } })
    expect(own.pkiUrl).toBe('http://pki.example.org')
    expect(complaint({ CHANCERY_TLS_CERT: '/c.pem', CHANCERY_TLS_KEY: '/k.pem' })).toMatch(/CHANCERY_PKI_URL is needed/)
    expect(new URL(readSettings({ CHANCERY_ORIGIN: 'https://pki.example.org' }).pkiUrl).protocol).toBe('http:')
    expect(readSettings({ CHANCERY_TRUST_PROXY: '10.0.0.1, ::1' }).trustedProxies).toEqual(['10.0.0.1', '::1'])
    expect(readSettings({ CHANCERY_PKCS11_MODULES: '/usr/lib/one.so, /usr/lib/two.so' }).pkcs11Modules).toEqual([
      '/usr/lib/one.so',
      '/usr/lib/two.so',
    ])
  })

  test.each([
    ['CHANCERY_PORT', ['0', '-1', '65536', '80.5', 'http', '1e9', '0x50 ']],
    ['CHANCERY_HOST', ['two words', 'a/b', 'a;b']],
    [
      'CHANCERY_ORIGIN',
      [
        'pki.example.org',
        'ftp://pki.example.org',
        'https://pki.example.org/console',
        'https://user@pki.example.org',
        'https://pki.example.org/?a',
        'https://:secret@pki.example.org',
      ],
    ],
    ['CHANCERY_PKI_URL', ['https://pki.example.org', 'pki', 'http://pki.example.org/crl']],
    ['DATABASE_URL', ['mysql://localhost/chancery', 'localhost:5432', 'postgres://[']],
    ['CHANCERY_SMTP_URL', ['mail.example.org', 'http://mail.example.org', 'smtp://[']],
    ['CHANCERY_TRUST_PROXY', ['proxy.example.org', '10.0.0.0/8', '10.0.0.1;10.0.0.2', '300.1.1.1']],
    ['CHANCERY_PKCS11_MODULES', ['libsofthsm2.so', '/a/module.so, ../b.so', '/a/module.so,/b/module.so']],
    ['CHANCERY_LOG', ['loud', 'INFO', '1']],
  ])('%s that is wrong is named with what it should be', (name, values) => {
    for (const value of values)
      expect([value, complaint({ [name]: value })]).toEqual([
        value,
        expect.stringMatching(new RegExp(`^${name} is "[^]*" and should be .+\\.$`)),
      ])
  })

  test('that are wrong are all named at once', () => {
    const lines = complaint({ CHANCERY_PORT: 'x', CHANCERY_LOG: 'x', DATABASE_URL: 'x', CHANCERY_TLS_CERT: '/c.pem' }).split('\n')
    expect(lines).toHaveLength(4)
    expect(lines.join(' ')).toMatch(/CHANCERY_PORT.*CHANCERY_TLS_CERT and CHANCERY_TLS_KEY go together.*DATABASE_URL.*CHANCERY_LOG/)
  })

  test('take a metrics token that nobody guesses, or none', () => {
    expect(readSettings({}).metricsToken).toBeUndefined()
    expect(readSettings({ CHANCERY_METRICS_TOKEN: 'aZ09-._~+/aZ09-._' }).metricsToken).toBe('aZ09-._~+/aZ09-._')
    for (const token of ['short', 'with space in the middle', 'x'.repeat(201)])
      expect(complaint({ CHANCERY_METRICS_TOKEN: token })).toMatch(/^CHANCERY_METRICS_TOKEN should be 16 to 200 .+\.$/)
  })

  test('do not say a password aloud', () => {
    expect(complaint({ CHANCERY_METRICS_TOKEN: 'open sesame' })).not.toContain('sesame')
    expect(complaint({ DATABASE_URL: 'mysql://chancery:opensesame@db/chancery' })).not.toContain('opensesame')
    expect(complaint({ CHANCERY_SMTP_URL: 'smpt://chancery:opensesame@mail/' })).not.toContain('opensesame')
  })
})
