// What the tests need from the machine: real programs that check our certificates, drive our pages and keep our data.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { isExecutable, isOnPath, run } from './programs.mjs'

/** Debian's name, and what shows that it is there, however it was installed. */
export const packages = [
  { name: 'chromium-headless-shell', isThere: () => isOnPath('chromium-headless-shell') },
  { name: 'openssl', isThere: () => isOnPath('openssl') },
  { name: 'gnutls-bin', isThere: () => isOnPath('certtool') },
  { name: 'softhsm2', isThere: () => isOnPath('softhsm2-util') },
  { name: 'opensc', isThere: () => isOnPath('pkcs11-tool') },
  { name: 'libnss3-tools', isThere: () => isOnPath('certutil') },
  { name: 'lego', isThere: () => isOnPath('lego') },
  { name: 'certbot', isThere: () => isOnPath('certbot') },
  { name: 'slapd', isThere: () => isOnPath('slapd') },
  { name: 'ldap-utils', isThere: () => isOnPath('ldapmodify') },
  { name: 'postgresql', isThere: () => postgresqlFolders().some((folder) => isExecutable(`${folder}/bin/postgres`)) },
]

/** What the clients of enrolment protocols are, beside those (`npm run e2e:protocols`). */
export const protocolPackages = [
  'certbot',
  'lego',
  'dehydrated',
  'uacme',
  'acme-tiny',
  'caddy',
  'openssl',
  'curl',
  'chromium-headless-shell',
]
  .map((name) => ({
    name,
    isThere: () => isOnPath(name),
  }))
  .concat([
    { name: 'pcscd', isThere: () => isOnPath('pcscd') },
    { name: 'vsmartcard-vpcd', isThere: () => existsSync('/usr/lib/pcsc/drivers/serial/libifdvpcd.so') },
    { name: 'opensc', isThere: () => isOnPath('opensc-tool') },
    { name: 'gnutls-bin', isThere: () => isOnPath('p11tool') },
    { name: 'yubico-piv-tool', isThere: () => isOnPath('yubico-piv-tool') },
    {
      name: 'libengine-pkcs11-openssl',
      isThere: () => ['x86_64', 'aarch64'].some((kind) => existsSync(`/usr/lib/${kind}-linux-gnu/engines-3/pkcs11.so`)),
    },
    { name: 'pebble', isThere: () => isOnPath('pebble') },
    { name: 'knot', isThere: () => isOnPath('knotd') },
    { name: 'cups-ipp-utils', isThere: () => isOnPath('ippeveprinter') },
    { name: 'cups', isThere: () => isOnPath('cupsd') && isOnPath('lpadmin') },
    { name: 'avahi-daemon', isThere: () => isOnPath('avahi-daemon') && isOnPath('dbus-daemon') },
    { name: 'poppler-utils', isThere: () => isOnPath('pdftoppm') },
    { name: 'zbar-tools', isThere: () => isOnPath('zbarimg') },
    { name: 'swtpm-tools', isThere: () => isOnPath('swtpm_setup') && isOnPath('swtpm') },
    { name: 'smbclient', isThere: () => isOnPath('smbclient') },
    { name: 'samba', isThere: () => isOnPath('samba') },
    { name: 'samba-ad-provision', isThere: () => existsSync('/usr/share/samba/setup/provision.ldif') },
    {
      name: 'samba-dsdb-modules',
      isThere: () => ['x86_64', 'aarch64'].some((kind) => existsSync(`/usr/lib/${kind}-linux-gnu/samba/ldb/samba_dsdb.so`)),
    },
    {
      name: 'samba-vfs-modules',
      isThere: () => ['x86_64', 'aarch64'].some((kind) => existsSync(`/usr/lib/${kind}-linux-gnu/samba/vfs/acl_xattr.so`)),
    },
    { name: 'winbind', isThere: () => isOnPath('winbindd') },
    { name: 'strongswan-pki', isThere: () => isOnPath('pki') },
    // With curl and ECDSA, which its own package has not.
    { name: 'libstrongswan-standard-plugins', isThere: () => existsSync('/usr/lib/ipsec/plugins/libstrongswan-openssl.so') },
    { name: 'libstrongswan-extra-plugins', isThere: () => existsSync('/usr/lib/ipsec/plugins/libstrongswan-curl.so') },
  ])

function postgresqlFolders() {
  const parent = '/usr/lib/postgresql'
  return existsSync(parent) ? readdirSync(parent).map((version) => `${parent}/${version}`) : []
}

/** Installs what is missing; answers a sentence where that cannot be done. */
export async function ensurePackages(wanted = packages) {
  const missing = wanted.filter(({ isThere }) => !isThere()).map(({ name }) => name)
  if (missing.length === 0) return undefined
  const asRoot = rootPrefix()
  const sentence = `The tests need these Debian packages: ${missing.join(' ')}. Install them with: apt-get install ${missing.join(' ')}`
  if (!asRoot || !isOnPath('apt-get')) return sentence
  console.log(`Installing the Debian packages ${missing.join(' ')}, which the tests need.`)
  await withoutDaemons(asRoot, async () => {
    const aptGet = (...args) => run(...commandLine([...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]))
    await aptGet('update')
    await aptGet('install', '--yes', '--no-install-recommends', ...missing)
  })
  return wanted.every(({ isThere }) => isThere()) ? undefined : sentence
}

function rootPrefix() {
  if (process.getuid?.() === 0) return []
  return isOnPath('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined
}

const commandLine = ([program, ...args]) => [program, args]
const policyFile = '/usr/sbin/policy-rc.d'

/** Debian starts a daemon when it is installed, unless this file answers 101. The tests start their own. */
async function withoutDaemons(asRoot, install) {
  const ours = !existsSync(policyFile)
  if (ours)
    await run(...commandLine([...asRoot, 'sh', '-c', `printf '#!/bin/sh\\nexit 101\\n' > ${policyFile} && chmod 755 ${policyFile}`]))
  await install()
  if (ours) await run(...commandLine([...asRoot, 'rm', '-f', policyFile]))
}
