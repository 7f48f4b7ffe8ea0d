// The list of pages beside the text.
interface Page {
  path: string;
  kind: string;
  title: string;
  number?: number;
}
interface Lab {
  name: string;
  number: number;
  title: string;
  chapter?: string;
  worklogs: Page[];
}
export interface Contents {
  pages: Page[];
  labs: Lab[];
  quizzes: { name: string; title: string; questions: string[]; scenarios: string[] }[];
  concepts_before_labs: number;
}

const two_digits = (number?: number) => String(number).padStart(2, "0");

export function sidebar_of(contents: Contents) {
  const item = (page: Page) => ({ text: page.title, link: `/${page.path}` });
  const concepts = contents.pages.filter((page) => page.kind === "concept");
  const chapters = contents.pages.filter((page) => page.kind === "chapter");
  const labs = chapters.map((chapter) => {
    const lab = contents.labs.find((one) => one.chapter === chapter.path);
    const text = lab ? `${two_digits(lab.number)} ${lab.title}` : `${two_digits(chapter.number)} ${chapter.title}`;
    const rungs = lab?.worklogs.map((page) => ({ text: page.title, link: `/${page.path}` })) ?? [];
    return { text, link: `/${chapter.path}`, ...(rungs.length && { collapsed: true, items: [{ text: "After a pass", items: rungs }] }) };
  });
  const quizzes = contents.quizzes.filter((quiz) => !contents.labs.some((lab) => lab.name === quiz.name));
  return [
    { text: "Begin", items: concepts.slice(0, contents.concepts_before_labs).map(item) },
    { text: "Labs", items: labs },
    { text: "More concepts", items: concepts.slice(contents.concepts_before_labs).map(item) },
    { text: "Projects", items: contents.pages.filter((page) => page.kind === "project").map(item) },
    { text: "Practice", items: [{ text: "Calculators", link: "/calculators" }, { text: "Open a trace", link: "/trace" }, { text: "All quizzes", link: "/quizzes/" }, ...quizzes.map((quiz) => ({ text: quiz.title, link: `/quizzes/${quiz.name}` }))] },
    { text: "Reference", items: contents.pages.filter((page) => page.kind === "sheet").map(item) },
  ];
}
