import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'

const Named = z.object({ id: Id, name: z.string() })

/** What is said of a sponsor besides who it is. */
const Terms = z.object({
  organisationId: Id.optional(),
  from: Instant,
  until: Instant.optional(),
  most: z.number().int().min(1, 'Use at least 1').max(10_000, 'Use at most 10,000').default(10),
  passTypes: z.array(Line(40)).max(20).default([]),
  note: Paragraph(500).default(''),
})

const SponsorRow = z.object({
  id: Id,
  person: Named,
  organisation: Named.optional(),
  from: Instant,
  until: Instant.optional(),
  state: z.enum(['planned', 'active', 'ended']),
  most: z.number().int(),
  people: z.number().int(),
  passTypes: z.array(z.string()),
})

const full = { status: 409, says: 'The sponsor has as many people as the sponsor may have: {most}' } as const
const ended = { status: 409, says: 'The sponsor does not sponsor anybody now' } as const
const unknownSponsor = { status: 400, says: 'There is no such sponsor' } as const
const termFaults = {
  unknownOrganisation: { status: 400, says: 'There is no such organisation', field: 'organisationId' },
  endsBefore: { status: 400, says: 'The end comes before the beginning', field: 'until' },
} as const

export const sponsors = contract({
  area: 'sponsors',
  title: 'Sponsors',
  screens: {
    manage: {
      path: '/identity/sponsor/manage',
      needs: 'manageSponsor',
      title: 'Sponsors',
      menu: { group: 'people', entry: 'sponsors', tab: 'Sponsors', place: 10 },
      also: 'hosts, visitors, guests, hand over',
    },
    add: { path: '/identity/sponsor/add', needs: 'sponsorAdd', title: 'New sponsor', parent: 'manage' },
    edit: { path: '/identity/sponsor/edit/:id', needs: 'sponsorEdit', title: 'Edit sponsor', parent: 'manage' },
  },
  records: {
    sponsor: { singular: 'Sponsor', plural: 'Sponsors', needs: 'manageSponsor', place: 35, list: { parent: 'sponsors.manage' } },
  },
  calls: {
    search: {
      does: 'Lists the sponsors of the tenancy with how many people each has, by text, state and organisation.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchSponsors',
      needs: 'manageSponsor',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('addedAt', 'until'),
        state: z.enum(['planned', 'active', 'ending', 'ended']).optional(),
      }),
      output: pageOf(SponsorRow),
    },
    read: {
      does: 'Answers one sponsor with its version.',
      method: 'GET',
      path: '/api2/IDM-v1/Sponsor',
      needs: 'sponsorEdit',
      input: z.object({ id: Id }),
      output: SponsorRow.extend({ note: z.string(), version: z.number().int() }),
    },
    add: {
      does: 'Makes a person a sponsor, from a moment on and until another or for good; answers the id.',
      title: 'Add a sponsor',
      method: 'POST',
      path: '/api2/IDM-v1/Sponsor',
      needs: 'sponsorAdd',
      input: Terms.extend({ userId: Id }),
      output: z.object({ id: Id }),
      done: 'The sponsor was added',
      failed: 'The sponsor was not added',
      faults: {
        ...termFaults,
        unknownPerson: { status: 400, says: 'There is no such person', field: 'userId' },
        sponsorAlready: { status: 409, says: 'This person is a sponsor already', field: 'userId', constraint: 'sponsors_by_person' },
      },
    },
    change: {
      does: 'Replaces the terms of a sponsor; answers nothing. Who is sponsored stays.',
      title: 'Change a sponsor',
      method: 'PUT',
      path: '/api2/IDM-v1/Sponsor',
      needs: 'sponsorEdit',
      /** Refuses the change where another one was made since the version that was read. */
      input: Terms.extend({ id: Id, version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The sponsor was changed',
      failed: 'The sponsor was not changed',
      faults: {
        ...termFaults,
        tooFew: { status: 409, says: 'The sponsor has {people} people now: hand some over first', field: 'most' },
      },
    },
    remove: {
      does: 'Ends that a person is a sponsor, once nobody is sponsored by that person; answers nothing.',
      title: 'Delete a sponsor',
      method: 'DELETE',
      path: '/api2/IDM-v1/Sponsor',
      needs: 'sponsorEdit',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The sponsor was deleted',
      failed: 'The sponsor was not deleted',
      faults: { dependants: { status: 409, says: 'The sponsor has {people} people: hand them over first' } },
    },
    people: {
      does: 'Lists the people of a sponsor and since when each is sponsored.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchSponsored',
      needs: 'manageSponsor',
      reads: true,
      input: PageQuery.omit({ text: true }).extend({ id: Id }),
      output: pageOf(z.object({ id: Id, name: z.string(), username: z.string(), since: Instant })),
    },
    ofPerson: {
      does: 'Answers the sponsor of a person, where there is one.',
      method: 'GET',
      path: '/api2/IDM-v1/UserSponsor',
      needs: 'manageSponsor',
      input: z.object({ userId: Id }),
      output: z.object({ sponsor: Named.optional() }),
    },
    setOfPerson: {
      does: 'Gives a person another sponsor, or none; answers nothing.',
      title: 'Change the sponsor of a person',
      method: 'PUT',
      path: '/api2/IDM-v1/UserSponsor',
      needs: 'manageSponsor',
      input: z.object({ userId: Id, sponsorId: Id.optional() }),
      output: z.object({}),
      done: 'The sponsor of the person was changed',
      failed: 'The sponsor was not changed',
      faults: {
        full: { ...full, field: 'sponsorId' },
        ended: { ...ended, field: 'sponsorId' },
        unknownSponsor: { ...unknownSponsor, field: 'sponsorId' },
        oneself: { status: 409, says: 'Nobody is sponsored by themselves', field: 'sponsorId' },
      },
    },
    handOver: {
      does: 'Gives all people of a sponsor to another, or none of them; answers how many.',
      title: 'Hand over sponsored people',
      method: 'POST',
      path: '/api2/IDM-v1/HandOverSponsored',
      needs: 'manageSponsor',
      input: z.object({ id: Id, toId: Id }),
      output: z.object({ people: z.number().int() }),
      done: 'The people were handed over',
      failed: 'The people were not handed over',
      faults: {
        full: { ...full, field: 'toId' },
        ended: { ...ended, field: 'toId' },
        unknownSponsor: { ...unknownSponsor, field: 'toId' },
        oneself: { status: 409, says: 'One of them would be sponsored by themselves', field: 'toId' },
      },
    },
  },
  events: {
    added: { says: 'Added a sponsor', body: z.object({ sponsorId: Id, userId: Id }) },
    changed: { says: 'Changed a sponsor', body: z.object({ sponsorId: Id, userId: Id }) },
    deleted: { says: 'Deleted a sponsor', body: z.object({ sponsorId: Id, userId: Id }) },
    sponsored: { says: 'Changed the sponsor of a person', body: z.object({ userId: Id, sponsorId: Id.optional() }) },
    handedOver: { says: 'Handed over sponsored people', body: z.object({ sponsorId: Id, toId: Id, people: z.number().int() }) },
  },
})
