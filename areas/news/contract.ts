import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Instant, Paragraph } from '#core/contract/shapes.ts'
import { mostText } from './rules.ts'

const Version = z.string().regex(/^[1-9]\d{0,5}$/, 'Enter a whole number')
const Day = z.iso.date('Enter a day')

const NewsDraft = z.object({
  version: Version,
  markdownString: Paragraph(mostText).refine((text) => text.trim() !== '', 'Enter a value'),
  /** The days on which it is shown, of UTC; both belong to it. */
  from: Day.optional(),
  until: Day.optional(),
})

export const news = contract({
  area: 'news',
  title: 'News',
  screens: {
    edit: {
      path: '/config/news',
      needs: 'tenancyConfig',
      title: 'News',
      also: 'announcement, what is new, message to everybody',
      menu: { group: 'support', entry: 'news', tab: 'News', place: 10 },
    },
  },
  calls: {
    read: {
      does: 'Answers the news of the tenancy in which the caller works, and whether it is to be shown: today, and not seen in this version. `jsonString` holds the same for programs.',
      method: 'GET',
      path: '/api2/IDM-v1/News',
      needs: 'signedIn',
      input: z.object({}),
      output: z.object({ version: z.string(), markdownString: z.string(), jsonString: z.string(), show: z.boolean() }),
    },
    seen: {
      does: 'Notes that the caller has seen the news of a version, which is not shown again.',
      title: 'Note news as seen',
      method: 'POST',
      path: '/api2/IDM-v1/NewsSeen',
      needs: 'signedIn',
      input: z.object({ version: Version }),
      output: z.object({}),
      failed: 'The news was not noted as seen',
    },
    settings: {
      does: 'Answers the news of the tenancy as it is edited, with who changed it last.',
      method: 'GET',
      path: '/api2/IDM-v1/NewsSettings',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: NewsDraft.extend({ changedBy: z.string(), changedAt: Instant.optional() }),
    },
    change: {
      does: 'Replaces the news of the tenancy. With a higher version everybody is shown it once; with the same one only who has not seen it yet.',
      title: 'Change the news',
      method: 'PUT',
      path: '/api2/IDM-v1/News',
      needs: 'tenancyConfig',
      input: NewsDraft,
      output: z.object({}),
      done: 'The news was saved',
      failed: 'The news was not saved',
      faults: {
        lower: { status: 409, says: 'The news has version {version} by now. Use that or a higher one', field: 'version' },
        days: { status: 400, says: 'This is before the first day', field: 'until' },
      },
    },
  },
  events: {
    changed: { says: 'Changed the news', body: z.object({ version: z.string() }) },
  },
})
