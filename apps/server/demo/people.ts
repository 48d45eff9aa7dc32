// The people of the demonstration: names from many places, each with a role and a reason to be there.

import type { Chance } from './chance.ts'

/** Given names and family names that go together. */
const names: readonly { given: string; family: string }[] = [
  { given: 'Aroha Mere Wiremu Tāne Hana Rangi Ngaire Kahu', family: 'Ngata Parata Te·Rangi Walker Tamihana Kereama Paewai Henare' },
  {
    given: 'Oliver Charlotte George Isla Harry Freya Amelia Arthur',
    family: 'Bennett Clarke Fletcher Hughes Marsh Pritchard Whitfield Yates',
  },
  {
    given: 'Siobhán Cillian Niamh Oisín Aoife Declan Róisín Fionn',
    family: 'Byrne Gallagher Kavanagh Nolan O’Connor Doyle Ó·Súilleabháin Quinn',
  },
  { given: 'Amara Chidi Ngozi Emeka Folake Tunde Adaeze Ifeanyi', family: 'Okafor Adeyemi Nwosu Balogun Eze Olawale Obi Danjuma' },
  { given: 'Priya Arjun Ananya Rohan Kavya Vikram Meera Aditya', family: 'Sharma Patel Iyer Reddy Banerjee Nair Deshmukh Chatterjee' },
  { given: 'Mei Wei Xiu Jun Lan Hao Ying Bo', family: 'Chen Liu Zhang Huang Lin Zhao Xu Sun' },
  { given: 'Yuki Haruto Sakura Ren Aoi Kenji Hina Takumi', family: 'Tanaka Sato Suzuki Watanabe Itō Yamamoto Nakamura Kobayashi' },
  {
    given: 'Sofía Mateo Valentina Diego Camila Joaquín Lucía Andrés',
    family: 'García Rodríguez Muñoz Fernández Castillo Ibáñez Ríos Peña',
  },
  { given: 'Leilani Sione Sefina Tevita Mele Semisi Losa Malakai', family: 'Tupou Faleolo Leota Fonoti Vaipulu Tuilagi Lolohea Sapolu' },
  { given: 'Fatima Omar Layla Yusuf Zahra Karim Nour Hassan', family: 'Haddad Mansour Khalil Rahman Aziz Nasser Farouk Sabbagh' },
  { given: 'Ingrid Lars Astrid Søren Freja Mikkel Signe Jørgen', family: 'Hansen Nilsen Bergström Lindqvist Sørensen Dahl Åkesson Holm' },
  {
    given: 'Zofia Jakub Małgorzata Tomasz Kasia Paweł Ewa Łukasz',
    family: 'Kowalska Nowak Wiśniewska Zieliński Wójcik Mazur Dąbrowska Król',
  },
  { given: 'Linh Minh Thu Quang Hương Bảo Ngọc Duy', family: 'Nguyễn Trần Lê Phạm Võ Đặng Bùi Đỗ' },
  { given: 'Camille Étienne Chloé Bastien Inès Théo Manon Loïc', family: 'Moreau Lefèvre Girard Rousseau Dubois Fournier Mercier Caron' },
  { given: 'Elif Mehmet Zeynep Emre Ayşe Burak Defne Kerem', family: 'Yılmaz Kaya Demir Çelik Şahin Öztürk Aydın Arslan' },
  { given: 'Anna Lukas Johanna Felix Greta Jonas Klara Maximilian', family: 'Weiß Schäfer Köhler Krüger Hoffmann Brandt Vogel Böhm' },
]

export type RoleKey = 'administrator' | 'certificateOfficer' | 'requester' | 'auditor' | 'user'

type Post = { role: RoleKey; people: number; titles: string[] }

/** Of each tenancy's people, in this order; everybody else is a user. */
const staff: readonly Post[] = [
  { role: 'administrator', people: 2, titles: ['Head of trust services', 'Platform administrator'] },
  { role: 'certificateOfficer', people: 4, titles: ['Certificate officer', 'Security officer'] },
  { role: 'requester', people: 10, titles: ['Systems engineer', 'Network engineer', 'Service owner'] },
  { role: 'auditor', people: 2, titles: ['Internal auditor'] },
]
const otherTitles = ['Adviser', 'Analyst', 'Coordinator', 'Engineer', 'Inspector', 'Manager', 'Planner', 'Technician', 'Team lead']

export type DemoPerson = {
  username: string
  givenName: string
  familyName: string
  emailAddress: string
  telephoneNumber: string
  title: string
  locality: string
  organisation: string
  role: RoleKey
}

type Place = { domain: string; organisation: string; departments: readonly string[] }

/** `taken` are usernames that others have; those made here are added to it. */
export function makePeople(chance: Chance, place: Place, count: number, taken: Set<string>, posts = staff): DemoPerson[] {
  const roles = posts.flatMap((post) => Array.from({ length: post.people }, () => post)).slice(0, count)
  return Array.from({ length: count }, (_, at) => {
    const post = roles[at]
    const { givenName, familyName, username } = newName(chance, taken)
    return {
      username,
      givenName,
      familyName,
      emailAddress: `${username}@${place.domain}`,
      telephoneNumber: `+64 4 ${String(200 + chance.below(700))} ${String(1000 + chance.below(9000))}`,
      title: chance.pick(post?.titles ?? otherTitles),
      locality: 'Wellington',
      organisation: `${place.organisation}, ${chance.pick(place.departments)}`,
      role: post?.role ?? 'user',
    }
  })
}

function newName(chance: Chance, taken: Set<string>): { givenName: string; familyName: string; username: string } {
  for (;;) {
    const { given, family } = chance.pick(names)
    const [givenName, familyName] = [given, family].map((list) => chance.pick(list.split(' ')).replaceAll('·', ' ')) as [string, string]
    const username = `${plain(givenName)}.${plain(familyName)}`
    if (taken.has(username)) continue
    taken.add(username)
    return { givenName, familyName, username }
  }
}

const letters: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae' }

/** As it is typed on any keyboard. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[øłđıßæ]/g, (letter) => letters[letter] ?? letter)
    .replace(/[^a-z]/g, '')
