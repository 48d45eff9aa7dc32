import { screen, within } from '@testing-library/react'
import { pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectAccessible, showScreen, type Person } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { questions } from '../contract.ts'
import { MyQuestions } from './MyQuestions.tsx'
import { ResetQuestions } from './ResetQuestions.tsx'

const { read, set, requestReset, validateLink } = questions.calls
const unset = { clientSalt: '', questions: [], version: -1 }

async function choose(user: Person, number: number, question: string): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: new RegExp(`^Question ${number}`) }))
  await user.click(await screen.findByRole('option', { name: question }))
}

describe('The own secret questions', () => {
  it('are chosen from eight, the last one’s own, and leave the page as hashes of the lower-cased answers', async () => {
    const server = await answering({ [`GET ${read.path}`]: unset, [`POST ${set.path}`]: {} })
    const { user } = showScreen(<MyQuestions />, { at: '/self/resetquestions' })
    await user.click(await screen.findByRole('combobox', { name: /^Question 1/ }))
    expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual([
      'First street you lived on',
      'First holiday',
      'Favourite childhood book',
      'First single or album you bought',
      'First pet',
      'Full name of your first boyfriend or girlfriend',
      'Favourite childhood place to visit',
      'Write your own question',
    ])
    await user.click(screen.getByRole('option', { name: 'First pet' }))
    await choose(user, 2, 'First holiday')
    await choose(user, 3, 'Write your own question')
    await user.fill(await screen.findByRole('textbox', { name: /^Your question 3/ }), 'What did I always ask?')
    await user.fill(screen.getByLabelText(/^Answer 1/), 'Rex The DOG')
    await user.fill(screen.getByLabelText(/^Answer 2/), 'Brighton')
    await user.fill(screen.getByLabelText(/^Answer 3/), 'Is it far?')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Set questions' }))
    expect(await screen.findByText('Your secret questions are set')).toBeDefined()
    const { body } = server.asked.find(({ path }) => path === set.path) ?? {}
    const { client_salt } = set.input.parse(body)
    const salt = Buffer.from(client_salt, 'base64')
    const hash = (answer: string) => pbkdf2Sync(answer.toLowerCase(), salt, 100, 16, 'sha256').toString('base64')
    expect(salt).toHaveLength(32)
    expect(body).toEqual({
      client_salt,
      questions: [
        { question: 'firstPet', answer_hash: hash('Rex The DOG') },
        { question: 'firstHoliday', answer_hash: hash('Brighton') },
        { customQuestion: 'What did I always ask?', answer_hash: hash('Is it far?') },
      ],
    })
  })

  it('are not sent without answers: each field says what is missing', async () => {
    const server = await answering({ [`GET ${read.path}`]: unset })
    const { user } = showScreen(<MyQuestions />, { at: '/self/resetquestions' })
    await user.click(await screen.findByRole('button', { name: 'Set questions' }))
    expect((await screen.findAllByText('Choose a question')).length).toBeGreaterThan(0)
    expect(screen.getAllByText('Enter an answer of at least 3 characters').length).toBeGreaterThan(0)
    expect(server.asked.some(({ path }) => path === set.path)).toBe(false)
  })

  const own = { clientSalt: Buffer.alloc(32).toString('base64'), questions: [{ question: 'firstPet' }], version: 2 }

  it('are reset by a link, which the page says was sent', async () => {
    await answering({ [`GET ${read.path}`]: own, [`POST ${requestReset.path}`]: {} })
    const { user } = showScreen(<MyQuestions />, { at: '/self/resetquestions' })
    await user.click(await screen.findByRole('button', { name: 'Send reset link' }))
    const said = within(await screen.findByRole('status'))
    expect(said.getByText('Reset link sent')).toBeDefined()
    expect(said.getByText('A secret question reset link has been sent to your email inbox')).toBeDefined()
    await expectAccessible()
  })

  it('stay where no link could be sent, and the page says so', async () => {
    await answering({ [`GET ${read.path}`]: own, [`POST ${requestReset.path}`]: () => ({ status: 503, body: {} }) })
    const { user } = showScreen(<MyQuestions />, { at: '/self/resetquestions' })
    await user.click(await screen.findByRole('button', { name: 'Send reset link' }))
    expect(await screen.findByText('Failed to send reset link')).toBeDefined()
  })

  it('stay where the link does not work any more', async () => {
    await answering({ [`POST ${validateLink.path}`]: () => ({ status: 404, body: { code: 'linkUsed', message: 'Used' } }) })
    showScreen(<ResetQuestions />, { at: '/self/resetquestions/spent', path: '/self/resetquestions/:id' })
    expect(await screen.findByText('This link does not work any more')).toBeDefined()
  })
})
