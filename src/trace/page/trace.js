'use strict';
const ROW=20,BAR=15,AXIS=26,HEAD=22;
const COLOURS=['#2f6fd0','#1f8a70','#a8641b','#7d56b8','#b0417a','#4f7a1c','#23808f','#8a5a44','#5a63c4','#6d6d6d'];
const byId=id=>document.getElementById(id);
const chart=byId('chart'),what=byId('what'),box=byId('q'),data=byId('spans').dataset;
const hint=what.textContent;
const LENGTH=Math.max(+data.length,1000),START=+data.start,EXIT=data.exit===undefined?null:+data.exit;
const tasks=[...document.querySelectorAll('#tasks li')].map((e,i)=>({
 name:e.textContent.trimEnd(),cgroup:e.dataset.cgroup??'',ran:+e.dataset.ran,
 waited:+e.dataset.waited,worst:+e.dataset.worst,isCut:'cut' in e.dataset,
 colour:COLOURS[i%COLOURS.length],runs:[],all:[],
}));
const cpus=Array.from({length:+data.cpus},(_,i)=>({name:'cpu'+i,runs:[]}));
let at=0;
for(const line of byId('spans').textContent.split('\n')){
 const m=/^(\d+)([rw])(\d+) (\d+) (\d+)$/.exec(line);
 if(!m)continue;
 at+=+m[1];
 const s={from:at,to:at+ +m[3],task:+m[4],cpu:+m[5],runs:m[2]==='r'};
 tasks[s.task].all.push(s);
 if(s.runs)tasks[s.task].runs.push(s);
 if(s.runs&&cpus[s.cpu])cpus[s.cpu].runs.push(s);
}
let rows=[],from=0,to=LENGTH,picked=null,asked=false;
function makeRows(){
 const words=box.value.toLowerCase().split(/\s+/).filter(Boolean);
 let group='';
 rows=cpus.map(c=>({label:c.name,layers:[c.runs],isCpu:true}));
 for(const t of tasks){
  const text=(t.name+' '+t.cgroup).toLowerCase();
  if((t.isCut&&!words.length)||!words.every(w=>text.includes(w)))continue;
  if(t.cgroup!==group)rows.push({head:t.cgroup||'/'});
  group=t.cgroup;
  rows.push({label:t.name,layers:[t.all,t.runs],task:t});
 }
 let y=AXIS;
 for(const r of rows){r.y=y;y+=r.head?HEAD:ROW}
 chart.style.height=y+4+'px';
 draw();
}
function time(ns){
 const a=Math.abs(ns);
 if(a>=1e9)return (ns/1e9).toFixed(3)+' s';
 if(a>=1e6)return (ns/1e6).toFixed(3)+' ms';
 return (ns/1e3).toFixed(3)+' µs';
}
const labelWidth=()=>chart.clientWidth<700?92:170;
const perPixel=()=>(to-from)/(chart.clientWidth-labelWidth());
const xOf=ns=>labelWidth()+(ns-from)/perPixel();
/* The first span that ends behind the moment; of one row they do not overlap. */
function firstAfter(list,ns){
 let low=0,high=list.length;
 while(low<high){const mid=(low+high)>>1;if(list[mid].to<=ns)low=mid+1;else high=mid}
 return low;
}
function cutText(g,text,width){
 if(g.measureText(text).width<=width)return text;
 while(text&&g.measureText(text+'…').width>width)text=text.slice(0,-1);
 return text+'…';
}
/* Spans that are narrower than a pixel share it: the bar is as high as their part of the time. */
function drawLayer(g,list,y,colourOf,wordsOf,ink,left,right){
 let column=-1,used=0,most=0,owner=null;
 const flush=()=>{
  if(owner){
   const h=Math.max(2,Math.min(1,used)*BAR);
   g.fillStyle=colourOf(owner);g.fillRect(column,y+BAR-h,1,h);
  }
  used=most=0;owner=null;
 };
 for(let i=firstAfter(list,from);i<list.length&&list[i].from<to;i++){
  const s=list[i],a=Math.max(left,xOf(s.from)),b=Math.min(right,xOf(s.to));
  if(b-a<1){
   if(Math.floor(a)!==column){flush();column=Math.floor(a)}
   used+=b-a;
   if(b-a>=most){most=b-a;owner=s}
   continue;
  }
  flush();
  g.fillStyle=colourOf(s);g.fillRect(a,y,b-a,BAR);
  if(b-a>3){g.fillStyle=colours.bg;g.fillRect(b-.5,y,.5,BAR)}
  if(b-a>30){
   g.fillStyle=ink;
   g.fillText(cutText(g,wordsOf(s),b-a-6),a+3,y+BAR-4);
  }
 }
 flush();
}
let colours={};
function readColours(){
 const c=getComputedStyle(document.documentElement);
 colours=Object.fromEntries(['bg','fg','dim','line','head','exit','wait','pick'].map(n=>[n,c.getPropertyValue('--'+n)]));
}
/* Its words stay in sight when the page is scrolled. */
function drawAxis(g,width,height,top){
 const rough=(to-from)/Math.max(2,Math.floor((width-labelWidth())/90)),ten=10**Math.floor(Math.log10(rough));
 const step=[1,2,5,10].map(f=>f*ten).find(v=>v>=rough);
 g.lineWidth=1;
 if(top){g.fillStyle=colours.bg;g.fillRect(0,top-8,width,AXIS+2)}
 g.strokeStyle=colours.line;g.fillStyle=colours.dim;g.font='11px system-ui,sans-serif';
 for(let ns=Math.ceil((from+START)/step)*step-START;ns<=to;ns+=step){
  const x=Math.round(xOf(ns))+.5;
  g.beginPath();g.moveTo(x,top+16);g.lineTo(x,top?top+AXIS-6:height);g.stroke();
  const text=time(ns+START).replace(/\.?0+ /,' ').replace(/^0 .*/,'0');
  if(x+g.measureText(text).width<width)g.fillText(text,x+3,top+14);
 }
}
function drawRow(g,r,width){
 const left=labelWidth(),isPicked=picked&&r.task===tasks[picked.task];
 if(r.head){
  g.fillStyle=colours.fg;g.font='600 12px system-ui,sans-serif';
  g.fillText(cutText(g,r.head,width-8),4,r.y+16);
  return;
 }
 g.font='12px system-ui,sans-serif';
 g.fillStyle=isPicked?colours.pick:colours.bg;g.fillRect(0,r.y,left,ROW);
 if(isPicked){g.globalAlpha=.6;g.fillRect(left,r.y,width-left,ROW);g.globalAlpha=1}
 g.fillStyle=colours.fg;
 g.fillText(cutText(g,r.label,left-8),4,r.y+BAR-3);
 const faded=s=>picked&&picked.task!==s.task;
 const paint=s=>{g.globalAlpha=r.isCpu&&faded(s)?.35:1;return tasks[s.task].colour};
 g.font='11px system-ui,sans-serif';
 if(r.isCpu)drawLayer(g,r.layers[0],r.y+1,paint,s=>tasks[s.task].name,'#fff',left,width);
 else{
  drawLayer(g,r.layers[0],r.y+1,()=>colours.wait,s=>s.runs?'':'waits on cpu'+s.cpu,colours.fg,left,width);
  drawLayer(g,r.layers[1],r.y+1,()=>r.task.colour,s=>'cpu'+s.cpu,'#fff',left,width);
 }
 g.globalAlpha=1;
 g.strokeStyle=colours.line;
 g.beginPath();g.moveTo(0,r.y+ROW-.5);g.lineTo(width,r.y+ROW-.5);g.stroke();
}
function drawNow(){
 asked=false;
 const scale=devicePixelRatio||1,width=chart.clientWidth,height=chart.clientHeight;
 if(chart.width!==Math.round(width*scale)||chart.height!==Math.round(height*scale)){
  chart.width=Math.round(width*scale);chart.height=Math.round(height*scale);
 }
 const g=chart.getContext('2d');
 g.setTransform(scale,0,0,scale,0,0);
 g.fillStyle=colours.bg;g.fillRect(0,0,width,height);
 drawAxis(g,width,height,0);
 const top=Math.max(0,byId('top').getBoundingClientRect().bottom)-chart.getBoundingClientRect().top;
 for(const r of rows)if(r.y+HEAD>top&&r.y<top+innerHeight)drawRow(g,r,width);
 if(EXIT!==null&&EXIT>=from&&EXIT<=to){
  const x=xOf(EXIT);
  g.fillStyle=colours.exit;g.fillRect(x-1,16,2,height-16);
 }
 if(top>0)drawAxis(g,width,height,top);
}
function draw(){if(!asked){asked=true;requestAnimationFrame(drawNow)}}
function look(a,b){
 const length=Math.min(LENGTH,Math.max(b-a,100));
 from=Math.max(0,Math.min(a,LENGTH-length));
 to=from+length;
 draw();
 clearTimeout(look.timer);
 look.timer=setTimeout(()=>{
  const whole=from===0&&to===LENGTH;
  history.replaceState(null,'',whole?location.pathname+location.search:'#'+Math.round(from)+'-'+Math.round(to));
 },300);
}
function zoom(factor,x){
 const middle=x===undefined?(from+to)/2:from+(x-labelWidth())*perPixel();
 look(middle-(middle-from)*factor,middle+(to-middle)*factor);
}
const move=share=>look(from+(to-from)*share,to+(to-from)*share);
function tell(s){
 picked=s;
 if(s){
  const t=tasks[s.task];
  what.textContent=t.name+(t.cgroup?' in '+t.cgroup:'')+(s.runs?' runs on cpu':' waits on cpu')+s.cpu+
   ' for '+time(s.to-s.from)+', from '+time(s.from+START)+' to '+time(s.to+START)+'. In all it runs '+
   time(t.ran)+' and waits '+time(t.waited)+', '+time(t.worst)+' at most at once.';
 }else what.textContent=hint;
 draw();
}
function spanAt(x,y){
 const r=rows.find(r=>!r.head&&y>=r.y&&y<r.y+ROW);
 if(!r)return null;
 if(x<labelWidth())return r.task?r.task.all[0]:null;
 const slack=3*perPixel(),ns=from+(x-labelWidth())*perPixel();
 for(const list of [...r.layers].reverse())
  for(const near of [0,slack]){
   const s=list[firstAfter(list,ns-near)];
   if(s&&s.from<=ns+near)return s;
  }
 return null;
}
const fingers=new Map();
let moved=false;
const place=e=>{const b=chart.getBoundingClientRect();return {x:e.clientX-b.left,y:e.clientY-b.top}};
chart.addEventListener('pointerdown',e=>{
 fingers.set(e.pointerId,place(e));
 moved=fingers.size>1;
});
chart.addEventListener('pointermove',e=>{
 const old=fingers.get(e.pointerId),now=place(e);
 if(!old)return;
 if(fingers.size===2){
  const [other]=[...fingers].filter(([id])=>id!==e.pointerId).map(f=>f[1]);
  const before=Math.abs(old.x-other.x),after=Math.abs(now.x-other.x);
  if(before>8&&after>8)zoom(before/after,(now.x+other.x)/2);
  fingers.set(e.pointerId,now);
 }else if(moved||Math.abs(now.x-old.x)>4){
  if(!moved)chart.setPointerCapture(e.pointerId);
  moved=true;
  look(from-(now.x-old.x)*perPixel(),to-(now.x-old.x)*perPixel());
  fingers.set(e.pointerId,now);
 }
});
for(const end of ['pointerup','pointercancel'])addEventListener(end,e=>{
 const here=fingers.delete(e.pointerId);
 if(here&&!moved&&end==='pointerup'&&e.target===chart){const p=place(e);tell(spanAt(p.x,p.y))}
});
chart.addEventListener('dblclick',e=>zoom(.4,place(e).x));
chart.addEventListener('wheel',e=>{
 if(e.ctrlKey||e.metaKey)zoom(Math.exp(e.deltaY*.004),place(e).x);
 else if(e.shiftKey||Math.abs(e.deltaX)>Math.abs(e.deltaY))move((e.deltaX||e.deltaY)/1000);
 else return;
 e.preventDefault();
},{passive:false});
function worst(){
 let found=null;
 for(const t of tasks)for(const s of t.all)
  if(!s.runs&&(!found||s.to-s.from>found.to-found.from))found=s;
 if(!found)return;
 const margin=(found.to-found.from)*.15;
 look(found.from-margin,found.to+margin);
 tell(found);
 const r=rows.find(r=>r.task===tasks[found.task]),box=chart.getBoundingClientRect();
 if(r&&(box.top+r.y<0||box.top+r.y>innerHeight-ROW))scrollBy(0,box.top+r.y-innerHeight/2);
}
const actions={worst,in:()=>zoom(.5),out:()=>zoom(2),left:()=>move(-.25),right:()=>move(.25),all:()=>look(0,LENGTH)};
for(const id in actions)byId(id).addEventListener('click',actions[id]);
const keys={'+':'in','=':'in',w:'in','-':'out',s:'out',a:'left',ArrowLeft:'left',d:'right',ArrowRight:'right','0':'all',l:'worst'};
addEventListener('keydown',e=>{
 if(e.target===box||e.ctrlKey||e.metaKey||e.altKey)return;
 if(e.key==='Escape')tell(null);
 else if(keys[e.key]){actions[keys[e.key]]();e.preventDefault()}
});
box.addEventListener('input',makeRows);
addEventListener('resize',draw);
addEventListener('scroll',draw,{passive:true});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change',()=>{readColours();draw()});
readColours();
const view=/^#(\d+)-(\d+)$/.exec(location.hash);
if(view)look(+view[1],+view[2]);
makeRows();
