// A backup of a group policy as a ZIP file, for tests and for the demonstration.

import { createHash, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { certificateBlob, writeRegistryPol, type PolicyEntry } from '#standards/group-policy/registry-pol.fixture.ts'

export type PackedBackup = {
  name: string
  guid?: string
  autoEnrolment?: number
  roots?: readonly Uint8Array[]
  minimumPasswordLength?: number
  cpassword?: boolean
}

export function packBackup(backup: PackedBackup): Buffer {
  const { name, guid = randomUUID(), autoEnrolment = 7, roots = [], minimumPasswordLength = 12, cpassword = false } = backup
  const entries: PolicyEntry[] = [
    { key: 'Software\\Policies\\Microsoft\\Cryptography\\AutoEnrollment', name: 'AEPolicy', number: autoEnrolment },
    { key: 'Software\\Policies\\Microsoft\\Windows\\Installer', name: 'DisableMSI', number: 1 },
    ...roots.map((der) => {
      const sha1 = createHash('sha1').update(der).digest()
      const key = `Software\\Policies\\Microsoft\\SystemCertificates\\Root\\Certificates\\${sha1.toString('hex').toUpperCase()}`
      return { key, name: 'Blob', bytes: certificateBlob(der, sha1) }
    }),
  ]
  const template = `[System Access]\r\nMinimumPasswordLength = ${minimumPasswordLength}\r\nPasswordComplexity = 1\r\n`
  const groups = `<Groups clsid="{1}"><User clsid="{2}" name="helper"><Properties ${cpassword ? 'cpassword="j1Uyj3Vx8TY9LtLZil2uAuZkFQA/4latT76ZwgdHdhw"' : ''}/></User></Groups>`
  return zip({
    'bkupInfo.xml': `<BackupInst><GPOGuid><![CDATA[{${guid}}]]></GPOGuid><GPODisplayName><![CDATA[${name}]]></GPODisplayName></BackupInst>`,
    'DomainSysvol/GPO/GPT.INI': '[General]\r\nVersion=65539\r\n',
    'DomainSysvol/GPO/Machine/registry.pol': writeRegistryPol(entries),
    'DomainSysvol/GPO/Machine/microsoft/windows nt/SecEdit/GptTmpl.inf': Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from(template, 'utf16le'),
    ]),
    'DomainSysvol/GPO/Machine/Preferences/Groups/Groups.xml': groups,
    'DomainSysvol/GPO/Machine/Scripts/Startup/mount.cmd': 'net use',
  })
}

/** Stored, not packed. */
export function zip(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const [label, data] = [Buffer.from(name), Buffer.from(content)]
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt32LE(crc32(data), 10)
    head.writeUInt32LE(data.length, 14)
    head.writeUInt32LE(data.length, 18)
    head.writeUInt16LE(label.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), head, label, data])
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002', 'latin1'), Buffer.from([20, 0]), head, entry, label]))
    parts.push(local)
    at += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, central, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}
