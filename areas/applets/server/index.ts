import { createHash } from 'node:crypto'
import { sealForTenant } from '#areas/keys/sealing.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { zipFiles } from '#core/server/attachments/zip-files.ts'
import { serve } from '#core/server/serve.ts'
import { isArchive, loadFileOf } from '#standards/globalplatform/cap-file.ts'
import { packageOf } from '#standards/globalplatform/manager.ts'
import { keyCheckValue, ScpError } from '#standards/globalplatform/scp03.ts'
import { applets } from '../contract.ts'
import {
  deleteApplet,
  deleteConfig,
  findApplet,
  insertApplet,
  insertConfig,
  listApplets,
  listConfigs,
  updateApplet,
  updateConfig,
  type AppletRecord,
  type ConfigRecord,
} from './store.ts'
import { masterPurpose, uploadTo } from './upload.ts'

const presentApplet = (row: Omit<AppletRecord, 'file'>) => ({
  applet_id: row.applet_id,
  name: row.name,
  version: row.version,
  enabled: row.enabled,
  package_id: row.package_id,
  sha256: row.sha256,
  changedAt: row.changed_at.toISOString(),
})
const presentConfig = (row: ConfigRecord) => ({
  customer_sc_hardware: row.hardware,
  keyVersion: row.key_version,
  checkValue: row.check_value,
  changedAt: row.changed_at.toISOString(),
})

type FileText = Pick<AppletRecord, 'file' | 'package_id' | 'sha256'>
const fileBody = ({ applet_id: appletId, package_id: packageId, sha256 }: AppletRecord) => ({ appletId, packageId, sha256 })
const noFile: FileText = { file: null, package_id: '', sha256: '' }

/** A CAP archive holds ten components of 64 KB at most; what unpacks to more is none. */
const mostUnpacked = 1_000_000

function loadable(file: Buffer): Buffer {
  if (!isArchive(file)) return file
  const files = zipFiles(file, mostUnpacked)
  if (files === undefined) throw new ScpError('the archive is damaged, locked or too large')
  return loadFileOf(files)
}

function fileOf(base64: string, fault: (code: 'badFile', detail: { params: { reason: string } }) => never): FileText {
  try {
    const file = loadable(Buffer.from(base64, 'base64'))
    return { file, package_id: packageOf(file).toString('hex').toUpperCase(), sha256: createHash('sha256').update(file).digest('hex') }
  } catch (error) {
    if (error instanceof ScpError) return fault('badFile', { params: { reason: error.message } })
    throw error
  }
}

export default serve(applets, {
  async list(_input, { tenancy }) {
    return { applets: (await listApplets(tenancy)).map(presentApplet) }
  },

  async add({ applet_id: appletId, name, version, file }, { tenancy, emit, fault }) {
    const loaded = file === undefined || file === '' ? noFile : fileOf(file, fault)
    const row = (await insertApplet(tenancy, { applet_id: appletId, name, version, enabled: true, ...loaded })) ?? fault('exists')
    emit('added', fileBody(row))
    return presentApplet(row)
  },

  async get({ applet_id: appletId }, { tenancy, fault }) {
    return presentApplet((await findApplet(tenancy, appletId)) ?? fault('unknownApplet'))
  },

  async change({ applet_id: appletId, name, version, enabled, file }, { tenancy, emit, fault }) {
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { version }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(file === undefined || file === '' ? {} : fileOf(file, fault)),
    }
    const row = (await updateApplet(tenancy, appletId, change)) ?? fault('unknownApplet')
    emit('changed', fileBody(row))
    return presentApplet(row)
  },

  async remove({ applet_id: appletId }, { tenancy, emit, fault }) {
    if (!(await deleteApplet(tenancy, appletId))) fault('unknownApplet')
    emit('removed', { appletId })
    return {}
  },

  upload: (input, { house, viewer, request: { address } }) => uploadTo({ house, viewer, address }, input),

  async configs(_input, { tenancy }) {
    return { configs: (await listConfigs(tenancy)).map(presentConfig) }
  },

  async addConfig({ customer_sc_hardware: hardware, masterKey, checkValue, keyVersion }, { house, tenancy, viewer, emit, fault }) {
    await requireFreshProof(house, tenancy.db, viewer, tenancy.now)
    const plain = Buffer.from(masterKey, 'hex')
    if (keyCheckValue(plain) !== checkValue) fault('wrongCheck')
    const { db, tenantId, now } = tenancy
    const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: masterPurpose(hardware), plain, now })
    const row =
      (await insertConfig(tenancy, {
        hardware,
        master_sealed: sealed,
        tenant_key_id: tenantKeyId,
        check_value: checkValue,
        key_version: keyVersion,
      })) ?? fault('exists')
    emit('configAdded', { hardware, checkValue })
    return presentConfig(row)
  },

  async changeConfig({ customer_sc_hardware: hardware, keyVersion }, { tenancy, emit, fault }) {
    const row = (await updateConfig(tenancy, hardware, keyVersion)) ?? fault('unknownConfig')
    emit('configChanged', { hardware, keyVersion })
    return presentConfig(row)
  },

  async removeConfig({ customer_sc_hardware: hardware }, { house, tenancy, viewer, emit, fault }) {
    await requireFreshProof(house, tenancy.db, viewer, tenancy.now)
    const row = (await deleteConfig(tenancy, hardware)) ?? fault('unknownConfig')
    emit('configRemoved', { hardware, checkValue: row.check_value })
    return {}
  },
})
