import { offer } from '#core/contract/slots.ts'
import { inTenant } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { workWaiting } from '#core/server/slots.ts'
import { health } from '../contract.ts'
import { gauges } from './gauges.ts'
import { readHealth, readOne } from './read.ts'
import { countAuthoritiesInTrouble } from './store.ts'
import { watchHealth, watchOne } from './watch.ts'

export default serve(
  health,
  {
    async overview({ page, size, text, state }, { db, viewer, now, house }) {
      const sought = text.trim().toLowerCase()
      const found = (await readHealth(db, viewer.tenantId, house.settings.pkiUrl, now)).filter(
        (row) => (state.length === 0 || state.includes(row.state)) && row.caName.toLowerCase().includes(sought),
      )
      return { rows: found.slice((page - 1) * size, page * size), total: found.length }
    },

    async authority({ caId }, { db, viewer, now, house, fault }) {
      return (await readOne(db, viewer.tenantId, caId, house.settings.pkiUrl, now)) ?? fault('missing')
    },

    async checkNow({ caId }, { viewer, house, now, fault }) {
      const { tenantId } = viewer
      if ((await inTenant(house.database, tenantId, (db) => readOne(db, tenantId, caId, house.settings.pkiUrl, now))) === undefined)
        fault('missing')
      const state = await watchOne(house, tenantId, caId)
      return state === undefined ? fault('missing') : { state }
    },
  },
  {
    gauges,
    offers: [
      offer(workWaiting, {
        needs: 'monitor',
        count: async (db, { tenantId }) => ({ authorities: await countAuthoritiesInTrouble(db, tenantId) }),
      }),
    ],
    jobs: { watch: { perRun: watchHealth } },
  },
)
